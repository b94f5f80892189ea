# shellcheck shell=bash
# Sourced by deploy/run, deploy/test and deploy/package: which Debian packages are needed, and how they are installed.

# What building and running takes, beside the Swift toolchain.
# shellcheck disable=SC2034 # used by the scripts that source this file
run_packages=(
    ca-certificates git pkg-config       # the package manager fetches and finds libraries
    libc6-dev libstdc++-12-dev           # what the compiler links against
    libsqlite3-dev zlib1g-dev tzdata     # the store, HTTP, time zones
    libpq-dev                            # PostgreSQL, where the store is a database
    libmosquitto-dev                     # the MQTT client library
    mosquitto mosquitto-dev              # the broker, and the headers of its plugins
    mosquitto-clients                    # the commands that are shown to be pasted
    libsodium-dev                        # hashes and sealing
    libcurl4-openssl-dev                 # e-mail by SMTP, HTTP to webhooks and identity providers
    libqrencode-dev                      # QR codes of labels and invitations
    util-linux                           # setpriv: the broker ends with the service
)

# What the tests take on top.
# shellcheck disable=SC2034
test_packages=(
    python3 python3-paho-mqtt            # devices and apps of the end-to-end tests
    python3-venv                         # a place for what requirements.txt names
    chromium-headless-shell              # pages, the contract's parser, the JavaScript client
    python3-jsonschema python3-yaml      # the schemas and examples
    python3-cryptography                 # the tokens of a provider that the tests stand in for
    python3-aiosmtpd                     # the mail server of the SMTP tests
    python3-dateutil                     # another opinion on when schedules are due
    postgresql-15                        # a database server that the tests start for themselves
    openssl                              # certificates for the TLS tests
    prometheus                           # alert rules, and a real one that scrapes the service
    gcc curl haproxy                     # what the guides of docs/guides are run with
    procps shellcheck zsh                # this folder's scripts, the pasted commands
    lintian man-db systemd               # packages, pages and units as Debian judges them
)

# What `deploy/test --long` takes on top: the group of three PostgreSQL servers of deploy/patroni.
# shellcheck disable=SC2034
long_packages=(
    patroni etcd-server
)

# What making packages takes on top.
# shellcheck disable=SC2034
package_packages=(
    dpkg-dev binutils chrpath python3    # dependencies, stripping, paths, manual pages
)

# What `deploy/test --packages` takes on top of all: it installs the package into a Debian and boots that.
# shellcheck disable=SC2034
trial_packages=(
    debootstrap                          # a Debian to install into
    systemd-container iproute2           # a machine that runs it
)

# How deploy/run and deploy/test build: alike, so that neither compiles again what the other has compiled. Package.swift
# says which targets are optimized even so.
# shellcheck disable=SC2034
shared_build=(-c debug --explicit-target-dependency-import-check error)

# How packages are built: all of it optimized, with the Swift runtime inside, so that they run where there is no toolchain.
# shellcheck disable=SC2034
release_build=(-c release --static-swift-stdlib)

say() { printf '%s\n' "$*" >&2; }

die() {
    say "error: $*"
    exit 1
}

# Installs those of the named packages that are missing, and says which and why.
install_missing() {
    local package status missing=() as_root=() had_mosquitto=yes had_prometheus=yes
    for package in "$@"; do
        status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
        [ "$status" = installed ] || missing+=("$package")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    say "Installing ${#missing[@]} Debian packages that are needed: ${missing[*]}"
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || die "run this as root once, or: apt-get install ${missing[*]}"
        as_root=(sudo)
        sudo -n true 2>/dev/null || say "  sudo asks for your password"
    fi
    [ -x /usr/sbin/mosquitto ] || had_mosquitto=no
    [ -x /usr/bin/prometheus ] || had_prometheus=no
    # A fresh machine has no package lists, or old ones. Without a network those that are there may do.
    say "  reading the package lists"
    "${as_root[@]}" apt-get update -qq >/dev/null 2>&1 || say "  apt-get update failed; trying with the package lists that are there"
    say "  downloading and unpacking (a minute or two)"
    case " ${missing[*]} " in *" postgresql-15 "*) keep_postgres_idle ;; esac
    apt_install "${missing[@]}" || die "apt-get could not install: ${missing[*]}"
    # Debian starts a broker of its own on port 1883 when the package comes in; ours needs the port.
    if [ "$had_mosquitto" = no ] && [ -d /run/systemd/system ]; then
        say "Stopping the mosquitto service that came with the package: lamplighter runs its own."
        "${as_root[@]}" systemctl disable --now mosquitto >/dev/null 2>&1 || true
    fi
    if [ "$had_prometheus" = no ] && [ -x /usr/bin/prometheus ] && [ -d /run/systemd/system ]; then
        say "Stopping the prometheus service that came with the package: the tests run their own."
        "${as_root[@]}" systemctl disable --now prometheus >/dev/null 2>&1 || true
    fi
}

apt_install() {
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

# Lets PostgreSQL's package come in without the database that it would make and start: the tests make their own. A
# PostgreSQL that is there already stays as it is.
keep_postgres_idle() {
    local settings=/etc/postgresql-common/createcluster.conf
    [ -e "$settings" ] && return 0
    apt_install postgresql-common || die "apt-get could not install: postgresql-common"
    "${as_root[@]}" sed -i 's/^#\?create_main_cluster = .*/create_main_cluster = false/' "$settings"
}

# Installs what deploy/requirements.txt names for Debian's Python, beside it, unless it is there.
install_tools() {
    local folder=$1/.build/tools names=$1/deploy/requirements.txt
    cmp -s "$names" "$folder/requirements.txt" && return 0
    say "Installing the tests' tools from PyPI into $folder"
    rm -rf "$folder"
    /usr/bin/python3 -m venv "$folder" || die "python3 -m venv failed; is python3-venv installed?"
    "$folder/bin/pip" install --quiet --no-deps --disable-pip-version-check -r "$names" || die "pip could not install $names"
    cp "$names" "$folder/requirements.txt"
}

need_swift() {
    command -v swift >/dev/null || die "the Swift toolchain (6.2 or later) is not in PATH: https://www.swift.org/install/linux/"
}
