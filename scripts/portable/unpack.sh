# Unpacking: what a first start does, and one that finds damage.

digests() {
  case $system in Darwin) shasum -a 256 "$@" ;; *) sha256sum "$@" ;; esac
}

# Whether the files are the ones that this file holds.
is_intact() ( # FOLDER
  exec >/dev/null 2>&1
  cd "$1" || exit 1
  # shellcheck disable=SC2046 # the digest is the first word
  set -- $(digests <sums)
  [ "${1-}" = "$hash" ] && digests -c sums
)

# Whether they are, and nobody but this user can have changed them or can do so now.
is_sound() { # FOLDER
  own "$1" && is_intact "$1" &&
    [ -z "$(find "$1" \( ! -user "$(id -u)" -o -perm -0020 -o -perm -0002 \) -print 2>&1)" ]
}

# Notes how the files look. A place that cannot be written has them checked at every start.
stamp() { # PLACE
  {
    state=$(state_of "$1/$id/files") && printf '%s\n' "$state" >"$1/$id/stamp.$$" &&
      mv -f "$1/$id/stamp.$$" "$1/$id/stamp"
  } 2>/dev/null
}

# Unpacks the archive. Sets problem where it fails, and leaves with an error where this file is to blame.
unpack() { # FOLDER
  trouble=$({ tail -c "+$offset" "$self" | gzip -dc | tar -xof - -C "$1"; } 2>&1)
  if is_intact "$1"; then return 0; fi
  rm -rf "$1"
  found=$(wc -c <"$self")
  if [ "$((found))" -ne "$size" ]; then
    fail "this file is damaged: it has $((found)) bytes and should have $size" "download it again: $self"
  fi
  if ! tail -c "+$offset" "$self" | gzip -t 2>/dev/null; then
    fail "this file is damaged: what is packed in it cannot be read" "download it again: $self"
  fi
  free=$(free_in "${1%/*}")
  if [ -n "$free" ] && [ "$free" -lt "$room" ]; then
    problem="the program takes $((room / 1000)) MB, and ${1%/*} has $((free / 1000)) MB left"
  else
    problem="the program cannot be unpacked to $1${trouble:+: ${trouble%%
*}}"
  fi
  return 1
}

# How many kilobytes a folder has room for, or nothing where that cannot be told.
free_in() { # FOLDER
  # shellcheck disable=SC2046 # the fourth word of the last line
  set -- $(df -Pk "$1" 2>/dev/null | tail -n 1)
  case ${4-} in *[!0-9]*) ;; *) echo "${4-}" ;; esac
}

# Whether the runtime starts. Sets problem where it does not.
can_run() { # FOLDER
  "$1/deno" --version >/dev/null 2>&1 </dev/null && return 0
  if [ -x "$1/deno" ]; then
    problem="this file is for $needs, and its runtime does not start here ($(uname -sm))"
  else
    problem="programs may not be started from $1"
  fi
  return 1
}

# Puts the program into a folder. Sets problem where it fails.
set_up() { # PLACE
  problem="$1 cannot be made, or is not yours"
  if own "$1/$id/files" && own "$1/$id" && own "$1" && is_sound "$1/$id/files"; then
    stamp "$1"
    return 0
  fi
  mkdir -p "$1/$id" 2>/dev/null
  own "$1" && own "$1/$id" || return 1
  chmod 700 "$1" "$1/$id"
  new=$(mktemp -d "$1/.new-XXXXXXXXXX" 2>/dev/null) || {
    problem="$1 cannot be written"
    return 1
  }
  trap 'rm -rf "$new"; exit 129' HUP
  trap 'rm -rf "$new"; exit 130' INT
  trap 'rm -rf "$new"; exit 143' TERM
  unpack "$new" && can_run "$new" && move_in "$1"
  result=$?
  rm -rf "$new"
  trap - HUP INT TERM
  [ "$result" = 0 ] || return 1
  stamp "$1"
  remove_old "$1"
}

# Moves what was unpacked to where it belongs, unless another start was faster. One start at a time looks
# and moves, so that what is sound is never moved away under a program that has just been started.
move_in() { # PLACE
  waited=0
  until mkdir "$1/$id/lock" 2>/dev/null; do
    # Whoever took it holds it for a moment, or was ended in that moment.
    [ -n "$(find "$1/$id/lock" -prune -mmin +1 2>/dev/null)" ] && rmdir "$1/$id/lock" 2>/dev/null
    if [ "$waited" -ge 900 ]; then
      problem="$1/$id/lock cannot be made"
      return 1
    fi
    waited=$((waited + 1))
    sleep 0.1 2>/dev/null || sleep 1
  done
  is_sound "$1/$id/files" || {
    if [ -e "$1/$id/files" ] || [ -L "$1/$id/files" ]; then
      mkdir "$new.damaged" && mv "$1/$id/files" "$new.damaged/"
      rm -rf "$new.damaged"
    fi
    # Onto a folder that is still there it would go into that.
    [ ! -e "$1/$id/files" ] && mv "$new" "$1/$id/files"
  }
  moved=$?
  rmdir "$1/$id/lock"
  [ "$moved" = 0 ] || problem="the program cannot be moved to $1/$id"
  return "$moved"
}

# Whether a program in a folder is running, as far as this machine can say; yes where it cannot.
is_running() { # FOLDER
  real=$(cd -P "$1" && pwd -P) || return 0
  case $system in
    Darwin) running=$(ps -axo comm=) || return 0 ;;
    *)
      [ -e /proc/self/exe ] || return 0
      # shellcheck disable=SC2012 # the names are numbers
      running=$(ls -l /proc/[0-9]*/exe 2>/dev/null)
      ;;
  esac
  case $running in *"$real/"*) return 0 ;; *) return 1 ;; esac
}

# Removes versions that were not started for a week and are not running.
remove_old() { # PLACE
  for old in "$1"/*/; do
    old=${old%/}
    [ "$old" != "$1/$id" ] && own "$old" || continue
    used=$old/used
    [ -e "$used" ] || used=$old
    [ -n "$(find "$used" -prune -mtime +7)" ] && ! is_running "$old" && rm -rf "$old"
  done
  return 0
}

# Whether the user's cache is on the user's own ground: with sudo, HOME can still be somebody else's.
has_ground() { # FOLDER
  at=$1
  while [ ! -e "$at" ] && [ -n "$at" ]; do at=${at%/*}; done
  [ -O "${at:-/}" ]
}

# Sets place to a folder with the program in it, newly made or repaired.
prepare() {
  problem="there is no home folder"
  if [ -n "$cache" ]; then
    problem="$cache is not used: the folder for it is not yours"
    if has_ground "$cache" && set_up "$cache"; then
      place=$cache
      return 0
    fi
  fi
  why=$problem
  is_safe "$temporary" || return 1
  for place in "$temporary"/shieldfive-*; do
    if own "$place" && [ -d "$place/$id" ] && set_up "$place"; then return 0; fi
  done
  # A name that nobody can guess, in a folder that nobody else can look into.
  place=$(mktemp -d "$temporary/shieldfive-XXXXXXXXXX" 2>/dev/null) || return 1
  if ! set_up "$place"; then
    rm -rf "$place"
    return 1
  fi
  printf 'shieldfive: warning: %s; the program runs from %s\n' "$why" "$place" >&2
}
