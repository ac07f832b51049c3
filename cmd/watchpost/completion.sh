# Completion of watchpost for bash and zsh, made by `watchpost completion` from the
# definition of the command line.
if [ -n "${ZSH_VERSION-}" ]; then
    autoload -U +X compinit && compinit
    autoload -U +X bashcompinit && bashcompinit
fi
# TABLES
_watchpost() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} path="" word i offered
    COMPREPLY=()
    # Bash makes words of their own of the parts of --flag=value.
    if [ "$cur" = "=" ]; then
        cur=""
    elif [ "$prev" = "=" ]; then
        prev=${COMP_WORDS[COMP_CWORD-2]}
    fi
    for ((i = 1; i < COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        case $word in -*|=) continue ;; esac
        case " $(_watchpost_words "$path") " in
        *" $word "*) path=${path:+$path }$word ;;
        esac
    done
    offered=$(_watchpost_values "$path $prev")
    case $offered in
    FILE) COMPREPLY=($(compgen -f -- "$cur")) ;;
    ANY) ;;
    "") COMPREPLY=($(compgen -W "$(_watchpost_words "$path")" -- "$cur")) ;;
    *) COMPREPLY=($(compgen -W "$offered" -- "$cur")) ;;
    esac
}
complete -o filenames -F _watchpost watchpost
