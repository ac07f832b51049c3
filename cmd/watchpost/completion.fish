# Completion of watchpost for fish, made by `watchpost completion fish`. It asks the
# completion for bash, so bash is needed.
function __watchpost_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    bash -c 'source <("$1" completion); COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _watchpost
        [ ${#COMPREPLY[@]} = 0 ] || printf "%s\n" "${COMPREPLY[@]}"' bash $words "$current" 2>/dev/null
end
complete -c watchpost -f -a '(__watchpost_complete)'
