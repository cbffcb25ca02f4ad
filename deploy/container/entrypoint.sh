#!/bin/sh
# Start of the container: any user but root. As root, the embedded database would leave the volume.
set -eu
if [ "$(id -u)" = 0 ]; then
  echo 'Freehold does not run as root in a container. Leave out --user, or name any other user id, such as --user 65532.' >&2
  exit 1
fi
exec node /opt/freehold/bin/freehold.js "$@"
