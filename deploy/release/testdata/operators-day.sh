# An operator's day, in a private root: install the package, make a team, pair a
# session, back up, upgrade, restore into a second folder, delete the team, remove,
# purge. Arguments: the packages of two versions. Prints a line for each step.
set -eu
first=$1 second=$2
step() { echo "step: $*"; }
fail() {
    echo "FAILED: $*" >&2
    tail -n 40 /tmp/*.log >&2
    exit 1
}
is() { [ "$2" = "$3" ] || fail "$1: want '$3', have '$2'"; }

# await LOG TEXT prints the first line with the text, when it is there.
await() {
    for _ in $(seq 1200); do
        if grep -m1 -F "$2" "$1"; then return; fi
        sleep 0.1
    done
    fail "$1 has no $2"
}
as_service() { setpriv --reuid watchpost --regid watchpost --clear-groups "$@"; }

# start LOG DATA runs the unit's command as systemd does: with its user, its
# environment file and a copy of the token.
start() {
    install -m 400 -o watchpost /etc/watchpost/admin-token /run/admin-token
    unit=/usr/lib/systemd/system/watchpost.service
    is user "$(sed -n 's/^User=//p' $unit)" watchpost
    command=$(sed -n 's/^ExecStart=//p' $unit)
    (
        set -a
        . /etc/watchpost/env
        WATCHPOST_ADMIN_TOKEN_FILE=/run/admin-token
        WATCHPOST_DATA=$2
        exec setpriv --reuid watchpost --regid watchpost --clear-groups ${command%% --data*} --network-url "$network"
    ) >"$1" 2>&1 &
    service=$!
    export WATCHPOST_SERVER
    WATCHPOST_SERVER=$(await "$1" '"msg":"serving"' | jq -r .url)
}
stop() {
    kill "$1"
    wait "$1" || fail "the stop failed"
}
api() { curl -sf -H "x-api-key: $key" "$@"; }

step install
dpkg --force-unsafe-io -i "$first"
is "the user" "$(getent passwd watchpost | cut -d: -f6,7)" /var/lib/watchpost:/usr/sbin/nologin
is "the token" "$(stat -c '%a %U' /etc/watchpost/admin-token)" "600 root"
is "the configuration" "$(stat -c '%a %U' /etc/watchpost/env)" "600 root"
is "the data" "$(stat -c '%a %U' /var/lib/watchpost)" "700 watchpost"
is "the conffiles" "$(dpkg-query -W -f '${Conffiles}' watchpost | awk '{print $1}' | xargs)" /etc/watchpost/env
man -w watchpost-serve >/dev/null
bash -euc '. /usr/share/bash-completion/completions/watchpost; type _watchpost' >/dev/null
grep -q __watchpost_complete /usr/share/fish/vendor_completions.d/watchpost.fish
test -s /usr/share/doc/watchpost/THIRD-PARTY-LICENSES
printf '%s\n' WATCHPOST_LISTEN=127.0.0.1:0 WATCHPOST_REGISTRATION=closed WATCHPOST_BACKUP_TO=/var/lib/watchpost/backups >>/etc/watchpost/env
export WATCHPOST_ADMIN_TOKEN_FILE=/etc/watchpost/admin-token
token=$(cat /etc/watchpost/admin-token)

step create a team
watchpost network --listen 127.0.0.1:0 >/tmp/network.log 2>&1 &
site=$!
network=$(await /tmp/network.log '"msg":"serving' | jq -r .url)
start /tmp/first.log /var/lib/watchpost
made=$(watchpost team create --email ada@example.com --plan growth --json)
team=$(echo "$made" | jq -r .id) key=$(echo "$made" | jq -r .api_key)

step pair a session
code=$(watchpost team pair "$team" ada@example.com --json | jq -r .code)
session=$(curl -sf "$WATCHPOST_SERVER/extension/sign-in" -d "{\"code\":\"$code\"}" | jq -r .session_token)
WATCHPOST_TOKEN=$session watchpost session --account ada --network-url "$network" --journal /tmp/journal >/tmp/session.log 2>&1 &
worker=$!
api "$WATCHPOST_SERVER/api-keyword-watchlist" -d '{"keywords":["hiring"]}' >/dev/null
for _ in $(seq 1200); do
    posts=$(api "$WATCHPOST_SERVER/api-posts" | jq .count)
    [ "$posts" = 0 ] || break
    sleep 0.1
done
[ "$posts" -gt 0 ] || fail "the session has brought no posts"
stop $worker

step back up
watchpost backup
watchpost backup verify --from /var/lib/watchpost/backups --master-key-file /var/lib/watchpost/master.key

step upgrade
before=$(api "$WATCHPOST_SERVER/api-keyword-watchlist" | jq -cS .watchlists[].id)
posts=$(api "$WATCHPOST_SERVER/api-posts" | jq .count)
dpkg --force-unsafe-io -i "$second"
is "the version" "$(dpkg-query -W -f '${Version}' watchpost)" 1.1.0
grep -q '^WATCHPOST_REGISTRATION=closed$' /etc/watchpost/env || fail "the upgrade has replaced the configuration"
is "the token" "$(cat /etc/watchpost/admin-token)" "$token"
stop $service # what systemctl try-restart does
start /tmp/second.log /var/lib/watchpost
is "the watchlists" "$(api "$WATCHPOST_SERVER/api-keyword-watchlist" | jq -cS .watchlists[].id)" "$before"
stop $service

step restore into a second folder
as_service watchpost restore --from /var/lib/watchpost/backups --data /var/lib/watchpost/second --master-key-file /var/lib/watchpost/master.key
install -m 600 -o watchpost /var/lib/watchpost/master.key /var/lib/watchpost/second/master.key
start /tmp/restored.log /var/lib/watchpost/second
is "the watchlists" "$(api "$WATCHPOST_SERVER/api-keyword-watchlist" | jq -cS .watchlists[].id)" "$before"
is "the posts" "$(api "$WATCHPOST_SERVER/api-posts" | jq .count)" "$posts"

step delete the team
watchpost team delete "$team" --yes
is "the key" "$(curl -s -o /dev/null -w '%{http_code}' -H "x-api-key: $key" "$WATCHPOST_SERVER/api-team")" 401
is "the teams" "$(watchpost team list --json | jq .count)" 0
stop $service
stop $site

step remove
dpkg -r watchpost
[ ! -e /usr/bin/watchpost ] || fail "the program is still there"
is "the token" "$(cat /etc/watchpost/admin-token)" "$token"
[ -e /var/lib/watchpost/master.key ] || fail "removing has removed the data"

step purge
dpkg -P watchpost
for gone in /etc/watchpost /var/lib/watchpost /usr/share/doc/watchpost; do
    [ ! -e $gone ] || fail "$gone is still there"
done
! getent passwd watchpost || fail "the user is still there"
! getent group watchpost || fail "the group is still there"
step done
