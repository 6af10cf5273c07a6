# Process 1 of a cell; $0 is the program that serves it.
ip link set lo up || exit 70
# Names are asked for at a port where nobody listens: refused at once, where an unreachable server means seconds of waiting.
names=$(mktemp) && echo 'nameserver 127.0.0.1' >"$names" && mount --bind "$names" /etc/resolv.conf 2>/dev/null
rm -f "$names"
"$0"
exit $?
