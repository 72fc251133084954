// The program of `first.rs` for x86-64. System calls: number in rax, arguments in rdi, rsi, rdx, r10, r8; rcx and r11 are lost.
// rbp: the argument that is next to be read, r15: environment. Below the stack pointer nothing is disturbed: no signal is handled.
    mov     rax, [rsp]
    lea     rbp, [rsp + 16]
    lea     r15, [rsp + rax * 8 + 16]   // the environment follows the arguments
    cmp     eax, 2
    jb      20f
    je      30f

// Run a command. Say which process this is.
    mov     eax, 39                     // getpid
    syscall
    call    60f

// The environment becomes what begins with the mark, without the mark.
    mov     rdx, 0x5f5f646c6975675f     // `_guild__`
    mov     rsi, r15
    mov     rdi, r15
22: mov     rax, [rsi]
    add     rsi, 8
    test    rax, rax
    jz      23f
    cmp     [rax], rdx
    jne     22b
    add     rax, 8
    mov     [rdi], rax
    add     rdi, 8
    jmp     22b
23: mov     qword ptr [rdi], 0

// The command is a child; its orphans become this process's children, where they are to be found.
    mov     r13, [rbp]                  // who is to end with it
    add     rbp, 8
    cmp     byte ptr [r13], 0x2f
    jne     24f
    mov     edi, 36                     // prctl(PR_SET_CHILD_SUBREAPER, 1)
    mov     esi, 1
    mov     eax, 157
    syscall
24: mov     edi, 17                     // clone, as fork does: SIGCHLD
    xor     esi, esi
    xor     edx, edx
    xor     r10d, r10d
    xor     r8d, r8d
    mov     eax, 56
    syscall
    test    eax, eax
    jz      40f
    mov     r12d, eax
    js      48f
    call    70f
25: mov     rdi, -1                     // reap orphans until it is the command that has ended
    lea     rsi, [rsp - 16]
    call    80f
    cmp     eax, -10                    // ECHILD, which cannot be
    je      36f
    cmp     eax, r12d
    jne     25b
36: mov     r14d, [rsp - 16]

// Everybody else ends: all there are, or those who became children here.
    cmp     byte ptr [r13], 0x2f
    je      27f
    mov     eax, 110                    // getppid: 0 in a container, whose first process did not start this one
    syscall
    test    eax, eax
    jnz     29f
    mov     rdi, -1
    call    75f
    jmp     29f
27: mov     rdi, r13
    call    50f
    mov     ebx, eax
28: dec     ebx
    js      26f
    mov     rdi, -1                     // reap as many as were killed
    xor     esi, esi
    call    80f
    jmp     28b
26: test    eax, eax                    // the last call found no child, or none was killed
    jg      27b
    cmp     eax, -4
    je      27b
29: mov     eax, r14d                   // say how it ended, and take what is still sent to it: nobody likes a closed door
    call    60f
37: xor     edi, edi                    // read
    lea     rsi, [rsp - 4224]
    mov     edx, 4096
    xor     eax, eax
    syscall
    test    eax, eax
    jg      37b
    cmp     eax, -4
    je      37b
    mov     edi, r14d
    and     edi, 0x7f
    jz      35f
    add     edi, 128
    jmp     90f
35: shr     r14d, 8
    movzx   edi, r14b
    jmp     90f

// Become the command: in a session of its own, behind Landlock, in its directory.
40: mov     eax, 112                    // setsid
    syscall
    sub     rsp, 64
    mov     rsi, rsp                    // what is handled of files, ports and scopes
    mov     ebx, 3
42: mov     rdi, [rbp]
    add     rbp, 8
    call    55f
    mov     [rsi], rax
    add     rsi, 8
    dec     ebx
    jnz     42b
    mov     rdi, [rbp]
    add     rbp, 8
    call    55f
    mov     r13d, eax                   // how many rules
    test    eax, eax
    jz      46f
    mov     rdi, rsp                    // landlock_create_ruleset
    mov     esi, 24
    xor     edx, edx
    mov     eax, 444
    syscall
    mov     r12d, eax
    test    eax, eax
    js      48f
44: mov     rdi, [rbp]                  // a rule: rights, path
    call    55f
    mov     [rsp + 32], rax
    mov     rdi, -100                   // openat(AT_FDCWD, path, O_PATH | O_CLOEXEC)
    mov     rsi, [rbp + 8]
    mov     edx, 0x280000
    mov     eax, 257
    syscall
    test    eax, eax
    js      47f
    mov     [rsp + 40], eax
    mov     edi, r12d                   // landlock_add_rule(ruleset, PATH_BENEATH, rule, 0)
    mov     esi, 1
    lea     rdx, [rsp + 32]
    xor     r10d, r10d
    mov     eax, 445
    syscall
    test    eax, eax
    js      47f
    mov     edi, [rsp + 40]             // close
    mov     eax, 3
    syscall
    add     rbp, 16
    dec     r13d
    jnz     44b
    mov     edi, r12d                   // landlock_restrict_self
    xor     esi, esi
    mov     eax, 446
    syscall
    test    eax, eax
    js      47f
    mov     edi, r12d
    mov     eax, 3
    syscall
46: mov     rdi, [rbp]                  // chdir
    mov     eax, 80
    syscall
    test    eax, eax
    js      49f

// Try each place where the program may be.
    mov     rdi, [rbp + 8]
    call    55f
    lea     rbx, [rbp + 16]
    mov     r13d, eax
    lea     r14, [rbx + r13 * 8]        // the arguments follow the places
    mov     r12d, -2                    // ENOENT, unless a place has a more telling error
45: dec     r13d
    js      48f
    mov     rdi, [rbx]                  // execve
    add     rbx, 8
    mov     rsi, r14
    mov     rdx, r15
    mov     eax, 59
    syscall
    cmp     eax, -2
    je      45b
    cmp     eax, -20                    // ENOTDIR
    je      45b
    mov     r12d, eax
    jmp     45b

// It could not be executed, or not even start there, which is told by a bit beyond those of errors.
49: sub     eax, 0x10000
47: mov     r12d, eax
48: neg     r12d
    mov     eax, r12d
    call    60f
    mov     edi, 127
    jmp     90f

// The first process: wait until the standard input ends.
20: push    0                           // rt_sigaction: ignored children are reaped by the kernel
    push    0
    push    0
    push    1
    mov     edi, 17
    mov     rsi, rsp
    xor     edx, edx
    mov     r10d, 8
    mov     eax, 13
    syscall
    call    70f
32: xor     edi, edi                    // read
    lea     rsi, [rsp - 128]
    mov     edx, 64
    xor     eax, eax
    syscall
    test    eax, eax
    jg      32b
    cmp     eax, -4
    je      32b
    xor     edi, edi
    jmp     90f

// Kill everybody, or those in a list.
30: mov     rdi, [rbp]
    cmp     byte ptr [rdi], 0x2f
    je      33f
    mov     rdi, -1
    call    75f
    jmp     34f
33: call    50f
34: xor     edi, edi
    jmp     90f

// Kill the processes in the file at rdi; eax: how many there were.
50: mov     rsi, rdi                    // openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC)
    mov     rdi, -100
    mov     edx, 0x80000
    mov     eax, 257
    syscall
    push    rbx
    push    r12
    xor     ebx, ebx
    test    eax, eax
    js      54f
    mov     r12d, eax
    mov     edi, eax                    // read, as much as there is room for: the rest is left to another time
    lea     rsi, [rsp - 2176]
    mov     edx, 2048
    xor     eax, eax
    syscall
    push    rax
    mov     edi, r12d
    mov     eax, 3                      // close
    syscall
    pop     rax
    test    eax, eax
    jle     54f
    lea     r12, [rsp - 2176]
    lea     r8, [r12 + rax]
    xor     edi, edi
51: cmp     r12, r8
    jae     54f
    movzx   ecx, byte ptr [r12]
    inc     r12
    sub     ecx, 48
    js      53f                         // a number ends with a blank; what is cut off is left to another time
    imul    edi, edi, 10
    add     edi, ecx
    jmp     51b
53: test    edi, edi
    jz      51b
    call    75f
    inc     ebx
    xor     edi, edi
    jmp     51b
54: mov     eax, ebx
    pop     r12
    pop     rbx
    ret

// rax: the number in the digits at rdi.
55: xor     eax, eax
56: movzx   ecx, byte ptr [rdi]
    test    ecx, ecx
    jz      57f
    imul    rax, rax, 10
    lea     rax, [rax + rcx - 48]
    inc     rdi
    jmp     56b
57: ret

// Say rax: write it to the standard output, behind the sign of who speaks.
60: mov     rdx, 0x0000646c69756700     // `\0guild\0\0`
    mov     [rsp - 32], rdx
    mov     [rsp - 24], rax
    mov     edi, 1
    lea     rsi, [rsp - 32]
    mov     edx, 16
    mov     eax, 1
    syscall
    ret

// Let nobody look into this process: prctl(PR_SET_DUMPABLE, 0)
70: mov     edi, 4
    xor     esi, esi
    mov     eax, 157
    syscall
    ret

// Kill rdi.
75: mov     esi, 9
    mov     eax, 62
    syscall
    ret

// Wait for rdi; its status goes to rsi.
80: xor     edx, edx
    xor     r10d, r10d
    mov     eax, 61                     // wait4
    syscall
    ret

// Exit with edi.
90: mov     eax, 231
    syscall
