# Above, whoever made this file put what it holds: id, hash, size, offset, room, system, needs, patterns,
# and the functions steers and become. Behind the last line there is a compressed archive.
#
# It becomes the program that is in the archive, which it unpacks once into the user's cache. What it finds
# there it trusts when nobody else can have written it and when owner, mode, size and time of change of
# every file are what they were when their digests were last found right. That notices a file that was
# lost, cut, edited or replaced, by accident or by a cleaner; it does not notice a disk that returns other
# bytes than were written, nor the same user who forges the record too: that user could start anything.
# All of it is one group of commands, so that of a file that was cut in here the shell runs nothing.

fail() { # MESSAGE [HINT]
  printf 'shieldfive: error: %s\n' "$1" >&2
  [ -z "${2-}" ] || printf 'shieldfive: hint: %s\n' "$2" >&2
  exit 1
}

# Sets self: where this file is, for reading it and for starting it again.
find_self() {
  case $0 in
    /*) self=$0 ;;
    */*) self=$PWD/${0#./} ;;
    *) if [ -f "./$0" ]; then self=$PWD/$0; else self=$(command -v -- "$0"); fi ;;
  esac
}

# Keeps from the runtime what would steer it. The program gets it back (cli/steering.ts).
set_aside() {
  set -f
  SHIELDFIVE_KEPT=
  for word in $(export -p); do
    name=${word%%=*}
    case $name in *[!A-Za-z0-9_]*) continue ;; esac
    steers "$name" && eval "[ \"\${$name+set}\" ]" || continue
    eval "SHIELDFIVE_KEPT_$name=\$$name"
    export "SHIELDFIVE_KEPT_$name"
    unset "$name"
    SHIELDFIVE_KEPT="$SHIELDFIVE_KEPT $name"
  done
  export SHIELDFIVE_KEPT
  set +f
}

# Sets cache: where in the user's cache the program belongs, or nothing. It is what cli/places.ts says.
find_cache() {
  home=${HOME-}
  case $home in
    /*) ;;
    *) # The account still has a folder. Only a plain name is given to the shell to expand.
      name=$(id -un 2>/dev/null)
      case $name in
        '' | *[!A-Za-z0-9._-]*) home= ;;
        *) eval "home=~$name" ;;
      esac
      case $home in /*) ;; *) home= ;; esac
      ;;
  esac
  case $system in
    Darwin) above=${home:+$home/Library/Caches} ;;
    *) case ${XDG_CACHE_HOME-} in /*) above=$XDG_CACHE_HOME ;; *) above=${home:+$home/.cache} ;; esac ;;
  esac
  cache=${above:+$above/shieldfive/program}
}

# The user's own folder, and not a link to one.
own() { [ -d "$1" ] && [ ! -L "$1" ] && [ -O "$1" ]; }

# What the files of the program look like from outside.
state_of() ( # FOLDER
  cd "$1" || exit 1
  TZ=UTC0
  export TZ
  # shellcheck disable=SC2086 # the patterns are to be expanded
  case $system in
    Darwin) exec stat -f '%u %Lp %z %Fc' . $patterns ;;
    *) exec stat -c '%u %a %s %z' . $patterns ;;
  esac
)

# Whether the program is in a folder as it was when it was last checked.
is_ready() { # PLACE
  own "$1" && own "$1/$id" && own "$1/$id/files" && [ -f "$1/$id/stamp" ] && [ -O "$1/$id/stamp" ] &&
    state=$(state_of "$1/$id/files" 2>/dev/null) && [ "$state" = "$(cat "$1/$id/stamp")" ]
}

# Removes what a start left that was ended while it unpacked. Others may be unpacking now.
remove_left() { # PLACE
  for left in "$1"/.new-*; do
    [ -d "$left" ] || continue
    find "$1" -maxdepth 1 -name '.new-*' -mmin +10 -exec rm -rf {} + 2>/dev/null
    break
  done
}

# Becomes the program.
start_from() { # PLACE ARGUMENT…
  place=$1
  shift
  remove_left "$place"
  true 2>/dev/null >"$place/$id/used"
  if [ "${HOME+set}" ]; then
    SHIELDFIVE_KEPT_HOME=$HOME SHIELDFIVE_KEPT="$SHIELDFIVE_KEPT HOME"
    export SHIELDFIVE_KEPT_HOME
  fi
  # cli/steering.ts says why.
  HOME=$place/$id DENO_DIR=$place/$id/cache
  DENO_NO_UPDATE_CHECK=1 DENO_NO_PACKAGE_JSON=1 DENO_DISABLE_NODE_SHIM=1
  SHIELDFIVE_EXECUTABLE=$self
  export HOME DENO_DIR DENO_NO_UPDATE_CHECK DENO_NO_PACKAGE_JSON DENO_DISABLE_NODE_SHIM
  export SHIELDFIVE_EXECUTABLE
  if [ "${outer_path+set}" ]; then PATH=$outer_path; else unset PATH; fi
  become "$place/$id/files" "$@"
}

# Whether the folder for temporary files is one from which nobody else can take away a folder of ours.
is_safe() { [ -d "$1" ] && { [ -k "$1" ] || [ -O "$1" ]; }; }

main() {
  find_self
  set_aside
  if [ "${PATH+set}" ]; then outer_path=$PATH; fi
  # The tools that are used here are the system's own.
  PATH=/usr/bin:/bin:/usr/sbin:/sbin${PATH:+:$PATH}
  find_cache
  if [ -n "$cache" ] && is_ready "$cache"; then start_from "$cache" "$@"; fi
  case ${TMPDIR-} in /*) temporary=$TMPDIR ;; *) temporary=/tmp ;; esac
  if is_safe "$temporary"; then
    for place in "$temporary"/shieldfive-*; do
      if is_ready "$place"; then start_from "$place" "$@"; fi
    done
  fi
  [ "$(uname -s)" = "$system" ] || fail "this file is for $needs, and this is $(uname -s)"
  mask=$(umask)
  umask 077
  if ! prepare; then
    fail "$why" "XDG_CACHE_HOME can name a folder of yours with room for it, where programs may run"
  fi
  umask "$mask"
  start_from "$place" "$@"
}

main "$@"
