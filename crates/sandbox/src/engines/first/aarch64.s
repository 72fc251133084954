// The program of `first.rs` for AArch64. System calls: number in x8, arguments in x0 to x5; only x0 is lost.
// x19: the argument that is next to be read, x20: environment, x28: the mark of its variables.
    ldr     x0, [sp]
    add     x19, sp, #16
    add     x20, x19, x0, lsl #3        // the environment follows the arguments
    movz    x28, #0x675f                // `_guild__`
    movk    x28, #0x6975, lsl #16
    movk    x28, #0x646c, lsl #32
    movk    x28, #0x5f5f, lsl #48
    sub     sp, sp, #2176
    cmp     x0, #2
    b.lo    20f
    b.eq    30f

// Run a command. Say which process this is.
    mov     x8, #172                    // getpid
    svc     #0
    bl      60f

// The environment becomes what begins with the mark, without the mark.
    mov     x1, x20
    mov     x2, x20
22: ldr     x3, [x1], #8
    cbz     x3, 23f
    ldr     x4, [x3]
    cmp     x4, x28
    b.ne    22b
    add     x3, x3, #8
    str     x3, [x2], #8
    b       22b
23: str     xzr, [x2]

// The command is a child; its orphans become this process's children, where they are to be found.
    ldr     x21, [x19], #8              // who is to end with it
    ldrb    w22, [x21]
    cmp     w22, #0x2f
    b.ne    24f
    mov     x0, #36                     // prctl(PR_SET_CHILD_SUBREAPER, 1)
    mov     x1, #1
    mov     x8, #167
    svc     #0
24: mov     x0, #17                     // clone, as fork does: SIGCHLD
    mov     x1, #0
    mov     x2, #0
    mov     x3, #0
    mov     x4, #0
    mov     x8, #220
    svc     #0
    cbz     x0, 40f
    mov     x24, x0
    tbnz    x0, #63, 48f
    bl      70f
25: mov     x0, #-1                     // reap orphans until it is the command that has ended
    mov     x1, sp
    bl      80f
    cmn     x0, #10                     // ECHILD, which cannot be
    b.eq    36f
    cmp     x0, x24
    b.ne    25b
36: ldr     w23, [sp]

// Everybody else ends: all there are, or those who became children here.
    cmp     w22, #0x2f
    b.eq    27f
    mov     x8, #173                    // getppid: 0 in a container, whose first process did not start this one
    svc     #0
    cbnz    x0, 29f
    mov     x0, #-1
    bl      75f
    b       29f
27: mov     x0, x21
    bl      50f
    mov     x25, x0
28: subs    x25, x25, #1
    b.mi    26f
    mov     x0, #-1                     // reap as many as were killed
    mov     x1, #0
    bl      80f
    b       28b
26: cmp     x0, #0                      // the last call found no child, or none was killed
    b.gt    27b
    cmn     x0, #4
    b.eq    27b
29: mov     w0, w23                     // say how it ended, and take what is still sent to it: nobody likes a closed door
    bl      60f
37: mov     x0, #0                      // read
    mov     x1, sp
    mov     x2, #2048
    mov     x8, #63
    svc     #0
    cmp     x0, #0
    b.gt    37b
    cmn     x0, #4
    b.eq    37b
    ands    w0, w23, #0x7f
    b.eq    35f
    add     w0, w0, #128
    b       90f
35: ubfx    w0, w23, #8, #8
    b       90f

// Become the command: in a session of its own, behind Landlock, in its directory.
40: mov     x8, #157                    // setsid
    svc     #0
    mov     x21, #0                     // what is handled of files, ports and scopes
42: ldr     x0, [x19], #8
    bl      55f
    str     x0, [sp, x21, lsl #3]
    add     x21, x21, #1
    cmp     x21, #3
    b.ne    42b
    ldr     x0, [x19], #8
    bl      55f
    mov     x21, x0                     // how many rules
    cbz     x0, 46f
    mov     x0, sp                      // landlock_create_ruleset
    mov     x1, #24
    mov     x2, #0
    mov     x8, #444
    svc     #0
    mov     x24, x0
    tbnz    x0, #63, 48f
44: ldr     x0, [x19]                   // a rule: rights, path
    bl      55f
    str     x0, [sp, #32]
    mov     x0, #-100                   // openat(AT_FDCWD, path, O_PATH | O_CLOEXEC)
    ldr     x1, [x19, #8]
    mov     w2, #0x280000
    mov     x8, #56
    svc     #0
    tbnz    x0, #63, 47f
    mov     x25, x0
    str     w0, [sp, #40]
    mov     x0, x24                     // landlock_add_rule(ruleset, PATH_BENEATH, rule, 0)
    mov     x1, #1
    add     x2, sp, #32
    mov     x3, #0
    mov     x8, #445
    svc     #0
    tbnz    x0, #63, 47f
    mov     x0, x25                     // close
    mov     x8, #57
    svc     #0
    add     x19, x19, #16
    subs    x21, x21, #1
    b.ne    44b
    mov     x0, x24                     // landlock_restrict_self
    mov     x1, #0
    mov     x8, #446
    svc     #0
    tbnz    x0, #63, 47f
    mov     x0, x24
    mov     x8, #57
    svc     #0
46: ldr     x0, [x19], #8               // chdir
    mov     x8, #49
    svc     #0
    tbnz    x0, #63, 49f

// Try each place where the program may be.
    ldr     x0, [x19], #8
    bl      55f
    mov     x21, x0
    add     x23, x19, x0, lsl #3        // the arguments follow the places
    mov     x24, #-2                    // ENOENT, unless a place has a more telling error
45: subs    x21, x21, #1
    b.mi    48f
    ldr     x0, [x19], #8               // execve
    mov     x1, x23
    mov     x2, x20
    mov     x8, #221
    svc     #0
    cmn     x0, #2
    b.eq    45b
    cmn     x0, #20                     // ENOTDIR
    b.eq    45b
    mov     x24, x0
    b       45b

// It could not be executed, or not even start there, which is told by a bit beyond those of errors.
49: sub     x0, x0, #16, lsl #12
47: mov     x24, x0
48: neg     x0, x24
    bl      60f
    mov     x0, #127
    b       90f

// The first process: wait until the standard input ends.
20: mov     x1, #1                      // rt_sigaction: ignored children are reaped by the kernel
    stp     x1, xzr, [sp]
    stp     xzr, xzr, [sp, #16]
    mov     x0, #17
    mov     x1, sp
    mov     x2, #0
    mov     x3, #8
    mov     x8, #134
    svc     #0
    bl      70f
32: mov     x0, #0                      // read
    mov     x1, sp
    mov     x2, #64
    mov     x8, #63
    svc     #0
    cmp     x0, #0
    b.gt    32b
    cmn     x0, #4
    b.eq    32b
    mov     x0, #0
    b       90f

// Kill everybody, or those in a list.
30: ldr     x0, [x19]
    ldrb    w1, [x0]
    cmp     w1, #0x2f
    b.eq    33f
    mov     x0, #-1
    bl      75f
    b       34f
33: bl      50f
34: mov     x0, #0
    b       90f

// Kill the processes in the file at x0; x0: how many there were.
50: mov     x26, x30
    mov     x1, x0                      // openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC)
    mov     x0, #-100
    mov     w2, #0x80000
    mov     x8, #56
    svc     #0
    mov     x27, #0
    tbnz    x0, #63, 54f
    mov     x9, x0
    add     x1, sp, #64                 // read, as much as there is room for: the rest is left to another time
    mov     x2, #2048
    mov     x8, #63
    svc     #0
    mov     x10, x0
    mov     x0, x9                      // close
    mov     x8, #57
    svc     #0
    cmp     x10, #0
    b.le    54f
    add     x9, sp, #64
    add     x10, x9, x10
    mov     x12, #10
    mov     x11, #0
51: cmp     x9, x10
    b.hs    54f
    ldrb    w13, [x9], #1
    subs    w13, w13, #48
    b.mi    53f                         // a number ends with a blank; what is cut off is left to another time
    madd    x11, x11, x12, x13
    b       51b
53: cbz     x11, 51b
    mov     x0, x11
    bl      75f
    add     x27, x27, #1
    mov     x11, #0
    b       51b
54: mov     x0, x27
    ret     x26

// x0: the number in the digits at x0.
55: mov     x1, x0
    mov     x0, #0
    mov     x3, #10
56: ldrb    w2, [x1], #1
    cbz     w2, 57f
    sub     w2, w2, #48
    madd    x0, x0, x3, x2
    b       56b
57: ret

// Say x0: write it to the standard output, behind the sign of who speaks.
60: movz    x1, #0x6700                 // `\0guild\0\0`
    movk    x1, #0x6975, lsl #16
    movk    x1, #0x646c, lsl #32
    stp     x1, x0, [sp]
    mov     x0, #1
    mov     x1, sp
    mov     x2, #16
    mov     x8, #64
    svc     #0
    ret

// Let nobody look into this process: prctl(PR_SET_DUMPABLE, 0)
70: mov     x0, #4
    mov     x1, #0
    mov     x8, #167
    svc     #0
    ret

// Kill x0.
75: mov     x1, #9
    mov     x8, #129
    svc     #0
    ret

// Wait for x0; its status goes to x1.
80: mov     x2, #0
    mov     x3, #0
    mov     x8, #260                    // wait4
    svc     #0
    ret

// Exit with x0.
90: mov     x8, #94
    svc     #0
