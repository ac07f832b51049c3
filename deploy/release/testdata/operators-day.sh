# An operator's day on a machine with systemd: private-machine.sh runs it as a user with
# sudo. `doc` runs a command of README or RUNBOOK; a test compares their words. The
# folder /day has the packages of two versions and the folder of the repository that the
# README installs from.
here=/home/ada
step() { echo "step: $*"; }
fail() {
    trap - EXIT
    echo "FAILED: $*"
    sudo journalctl --no-pager --unit watchpost | tail -n 40
    tail -n 20 $here/*.log
    exit 1
}
trap '[ $? = 0 ] || fail "line $LINENO: $BASH_COMMAND"' EXIT
is() { [ "$2" = "$3" ] || fail "$1: want '$3', have '$2'"; }
refused() { ! "$@" || fail "not refused: $*"; }
says() { case $1 in *"$2"*) ;; *) fail "'$2' is not in: $1" ;; esac; }

# doc runs a command of the documents. Pairs that follow replace words that stand for
# something.
doc() {
    local command=$1
    shift
    while [ $# -gt 0 ]; do
        command=${command//"$1"/"$2"}
        shift 2
    done
    echo "\$ $command" >&2
    eval "$command"
}

# settings writes lines into /etc/watchpost/env, as somebody does in an editor.
settings() {
    printf '%s\n' "$@" >$here/settings
    printf '#!/bin/sh\ncat %s/settings >>"$1"\n' $here >$here/editor
    chmod 755 $here/editor
    export EDITOR=$here/editor
    doc 'sudoedit /etc/watchpost/env && sudo systemctl restart watchpost'
}
log() {
    sudo journalctl --sync
    doc 'sudo journalctl -u watchpost' watchpost 'watchpost --no-pager --output cat' 2>/dev/null
}
url=http://127.0.0.1:8080
api() { curl -sf -H "x-api-key: $key" "$@"; }
token() { sudo cat /etc/watchpost/admin-token; }
code() { curl -s -o /dev/null -w '%{http_code}' "$@"; }
package() { echo /day/watchpost_$1_*.deb; }
watchlists() { api $url/api-keyword-watchlist | jq -cS .watchlists[].id; }

# session pairs a browser of the team with the account ada, and lets it do a task.
session() {
    local pairing paired worker
    pairing=$(operator team pair "$team" you@example.com --json | jq -r .code)
    paired=$(curl -sf $url/extension/sign-in -d "{\"code\":\"$pairing\"}" | jq -r .session_token)
    WATCHPOST_TOKEN=$paired watchpost session --account ada --network-url $network --journal $here/journal >$here/session.log 2>&1 &
    worker=$!
    for _ in $(seq 1200); do
        ! grep -q 'session: task done' $here/session.log || break
        sleep 0.1
    done
    kill $worker
    wait $worker || fail "the session has not stopped"
    [ "$(api $url/api-posts | jq .count)" != 0 ] || fail "the session has brought no posts"
}

step install
doc 'sudo apt install ./watchpost_1.0.0_amd64.deb' ./watchpost_1.0.0_amd64.deb "$(package 1.0.0)"
is "the user" "$(getent passwd watchpost | cut -d: -f6,7)" /var/lib/watchpost:/usr/sbin/nologin
is "the token" "$(sudo stat -c '%a %U' /etc/watchpost/admin-token)" "600 root"
is "the configuration" "$(sudo stat -c '%a %U' /etc/watchpost/env)" "600 root"
is "the data" "$(stat -c '%a %U' /var/lib/watchpost)" "700 watchpost"
is "the conffiles" "$(dpkg-query -W -f '${Conffiles}' watchpost | awk '{print $1}' | xargs)" /etc/watchpost/env
is "the unit" "$(systemctl is-active watchpost) $(systemctl is-enabled watchpost)" "active enabled"
man -w watchpost-serve >/dev/null
doc 'source <(watchpost completion)'
type _watchpost >/dev/null
bash -euc '. /usr/share/bash-completion/completions/watchpost; type _watchpost' >/dev/null
grep -q __watchpost_complete /usr/share/fish/vendor_completions.d/watchpost.fish
test -s /usr/share/doc/watchpost/THIRD-PARTY-LICENSES

step configure
network=http://127.0.0.1:9000
watchpost network --listen 127.0.0.1:9000 >$here/network.log 2>&1 &
# The clock can be set, because a day of this operator is longer than that of a test.
settings WATCHPOST_NETWORK_URL=$network WATCHPOST_TEST_CLOCK=true WATCHPOST_SMPT_HOST=mail.example
says "$(log)" WATCHPOST_SMPT_HOST
curl -sf $url/network-agent/auth-send-otp -d '{"email":"eve@example.com","full_name":"Eve"}' >/dev/null
is "the mails to a stranger" "$(sudo find /var/lib/watchpost/mail -type f | wc -l)" 0

step the first team
doc 'operator() { sudo WATCHPOST_ADMIN_TOKEN_FILE=/etc/watchpost/admin-token watchpost "$@"; }'
doc 'operator team create --email you@example.com --plan growth' >$here/team
cat $here/team
team=$(operator team list --json | jq -r .teams[0].id)
key=$(operator team reveal-key "$team" --json | jq -r .api_key)
doc 'operator team list'
doc 'sudo WATCHPOST_ADMIN_TOKEN_FILE=/etc/watchpost/admin-token watchpost team list'
api $url/api-keyword-watchlist -d '{"keywords":["hiring"]}' >/dev/null
session
doc 'operator doctor --server http://127.0.0.1:8080' >$here/doctor
cat $here/doctor
says "$(cat $here/doctor)" 'WATCHPOST_SMPT_HOST is unknown'
says "$(cat $here/doctor)" 'give --backup-to'
doc 'sudo systemctl reload watchpost'

step backups go where the unit lets the service write
sudo install -d -m 700 -o watchpost -g watchpost /srv/backups
refused settings WATCHPOST_BACKUP_TO=/srv/backups
says "$(log)" 'ReadWritePaths='
printf '#!/bin/sh\nprintf "[Service]\\nReadWritePaths=/srv/backups\\n" >"$1"\n' >$here/editor
edit="sudo SYSTEMD_EDITOR=$EDITOR systemctl edit watchpost"
doc 'sudo systemctl edit watchpost' 'sudo systemctl edit watchpost' "script -qec '$edit' /dev/null"
sudo systemctl restart watchpost
sudo sed -i /WATCHPOST_BACKUP_TO/d /etc/watchpost/env
sudo rm -r /etc/systemd/system/watchpost.service.d
sudo systemctl daemon-reload
settings WATCHPOST_BACKUP_TO=/var/lib/watchpost/backups

step back up
doc 'operator backup'
doc 'sudo -u watchpost watchpost backup verify --from /var/lib/watchpost/backups --master-key-file /var/lib/watchpost/master.key'

step upgrade
before=$(watchlists)
posts=$(api $url/api-posts | jq .count)
admin=$(token)
process=$(systemctl show -P MainPID watchpost)
doc 'sudo apt install ./watchpost_1.1.0_amd64.deb' ./watchpost_1.1.0_amd64.deb "$(package 1.1.0)"
is "the version" "$(dpkg-query -W -f '${Version}' watchpost)" 1.1.0
[ "$(systemctl show -P MainPID watchpost)" != "$process" ] || fail "the old program runs"
sudo grep -q '^WATCHPOST_BACKUP_TO=' /etc/watchpost/env || fail "the upgrade has replaced the configuration"
is "the token" "$(token)" "$admin"
is "the watchlists" "$(watchlists)" "$before"

step restore on a machine that has nothing but the backups and the key
api $url/api-keyword-watchlist -d '{"keywords":["after the backup"]}' >/dev/null
doc 'sudo systemctl stop watchpost'
doc 'sudo mv /var/lib/watchpost/store /var/lib/watchpost/store.before'
sudo mv /var/lib/watchpost/master.key .
refused sudo -u watchpost watchpost restore --from /var/lib/watchpost/backups --data /var/lib/watchpost
doc 'sudo install -o watchpost -g watchpost -m 600 master.key /var/lib/watchpost/'
says "$(sudo watchpost restore --from /var/lib/watchpost/backups --data /var/lib/watchpost 2>&1 || true)" 'run this as that user'
doc 'sudo -u watchpost watchpost restore --from /var/lib/watchpost/backups --data /var/lib/watchpost'
doc 'sudo -u watchpost watchpost verify --data /var/lib/watchpost'
doc 'sudo systemctl start watchpost'
is "the watchlists" "$(watchlists)" "$before"
is "the posts" "$(api $url/api-posts | jq .count)" "$posts"
doc 'operator backup --full'
doc 'sudo rm -r /var/lib/watchpost/store.before'

step a copy of the folder
doc 'sudo systemctl stop watchpost'
doc 'sudo tar -C /var/lib/watchpost -czf watchpost-$(date +%F).tar.gz store'
doc 'sudo systemctl start watchpost'
mkdir copy
tar -C copy -xzf watchpost-*.tar.gz
says "$(watchpost verify --data copy)" '1 teams'

step another operator token
doc 'openssl rand -hex 24 | sudo install -m 600 /dev/stdin /etc/watchpost/admin-token'
doc 'sudo systemctl restart watchpost'
is "the old token" "$(code -H "Authorization: Bearer $admin" $url/admin/teams)" 401
operator team list

step another key of the team
doc 'operator team rotate-key TEAM' TEAM "$team"
is "the old key" "$(code -H "x-api-key: $key" $url/api-team)" 401
key=$(operator team reveal-key "$team" --json | jq -r .api_key)

step another master key
doc 'sudo mv /var/lib/watchpost/master.key /var/lib/watchpost/master.key.old'
doc 'openssl rand -base64 32 | sudo install -m 600 -o watchpost -g watchpost /dev/stdin /var/lib/watchpost/master.key'
doc 'echo WATCHPOST_SECOND_MASTER_KEY_FILE=/var/lib/watchpost/master.key.old | sudo tee -a /etc/watchpost/env'
sudo systemctl restart watchpost
says "$(operator doctor --server $url)" 'a rotation of the master key is under way'
curl -sf -H "Authorization: Bearer $(token)" $url/admin/clock -d '{"advance":"26h"}' >/dev/null
for _ in $(seq 1200); do
    ! log | grep -q 'the rotation of the master key has ended' || break
    sleep 0.1
done
says "$(log)" 'the rotation of the master key has ended'
doc "sudo sed -i '/^WATCHPOST_SECOND_MASTER_KEY_FILE=/d' /etc/watchpost/env"
sudo systemctl restart watchpost
doc 'sudo mv /var/lib/watchpost/master.key.old .'
is "the key" "$(operator team reveal-key "$team" --json | jq -r .api_key)" "$key"
operator backup
sudo -u watchpost watchpost backup verify --from /var/lib/watchpost/backups --master-key-file /var/lib/watchpost/master.key

step delete the team
operator team delete "$team" --yes
is "the key" "$(code -H "x-api-key: $key" $url/api-team)" 401
is "the teams" "$(operator team list --json | jq .count)" 0

step uninstall
doc 'sudo apt remove watchpost' <<<y
[ ! -e /usr/bin/watchpost ] || fail "the program is still there"
is "the data" "$(sudo ls /var/lib/watchpost/master.key /etc/watchpost/admin-token | xargs)" "/etc/watchpost/admin-token /var/lib/watchpost/master.key"
doc 'sudo apt purge watchpost' <<<y
for gone in /etc/watchpost /var/lib/watchpost /usr/share/doc/watchpost; do
    [ ! -e $gone ] || fail "$gone is still there"
done
refused getent passwd watchpost
refused getent group watchpost

step install from the source
cp -r /day/repository .
cd repository
doc 'sudo install -m 755 bin/watchpost /usr/local/bin/'
doc 'sudo install -m 644 deploy/watchpost.service /etc/systemd/system/'
doc 'sudo install -d -m 700 /etc/watchpost'
doc 'openssl rand -hex 24 | sudo install -m 600 /dev/stdin /etc/watchpost/admin-token'
doc 'sudo systemctl enable --now watchpost'
hash -r
operator team create --email you@example.com --plan growth
sudo install -m 644 deploy/watchpost.socket /etc/systemd/system/
sudo systemctl stop watchpost
sudo systemctl enable --now watchpost.socket
is "the service behind the socket" "$(curl -sf $url/readyz >/dev/null && systemctl is-active watchpost)" active
sudo systemctl stop watchpost.socket watchpost
doc 'sudo systemd-run --pipe --wait -p DynamicUser=yes -p User=watchpost -p StateDirectory=watchpost' \
    StateDirectory=watchpost 'StateDirectory=watchpost watchpost verify --data /var/lib/watchpost'

step try it without installing
doc 'export WATCHPOST_ADMIN_TOKEN=$(openssl rand -hex 24)'
doc './bin/watchpost serve --data ./data &' 2>$here/tried.log
doc 'until curl -sf http://127.0.0.1:8080/readyz; do sleep 0.1; done'
doc './bin/watchpost team create --email you@example.com --plan growth'
kill %+
step done
