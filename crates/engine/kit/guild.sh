# What a tool in a shell needs, without installing anything: `. /kit/guild.sh`.

# guild_arg NAME [DEFAULT]: a value that the tool was called with; text as it is, everything else as JSON.
guild_arg() {
    if [ -f "/input/payload/$1" ]; then
        cat "/input/payload/$1"
    else
        printf '%s' "${2-}"
    fi
}

# guild_text TEXT: the text as JSON.
guild_text() {
    printf '%s' "$1" | awk '
        BEGIN { RS = "\001"; ORS = ""; for (i = 1; i < 32; i++) low[sprintf("%c", i)] = sprintf("\\u%04x", i) }
        {
            gsub(/\\/, "&&"); gsub(/"/, "\\\"")
            for (c in low) gsub(c, "\\" low[c])
            print
        }' | { printf '"'; cat; printf '"'; }
}

# guild_answer NAME TEXT [NAME TEXT]…: answers with an object of texts. A name that ends in `:` is followed by JSON.
guild_answer() {
    between='{'
    {
        while [ $# -ge 2 ]; do
            printf '%s' "$between"
            case $1 in
            *:) guild_text "${1%:}"; printf ':%s' "$2" ;;
            *) guild_text "$1"; printf ':'; guild_text "$2" ;;
            esac
            between=','
            shift 2
        done
        [ "$between" = ',' ] || printf '{'
        printf '}\n'
    } >/output/response.json
}
