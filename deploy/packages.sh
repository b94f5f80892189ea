# shellcheck shell=bash
# Sourced by deploy/run, deploy/test, deploy/package and deploy/bench: the required Debian packages,
# and their installation.

# Packages for building and running, beside the Swift toolchain.
# shellcheck disable=SC2034 # used by the scripts that source this file
run_packages=(
    ca-certificates git pkg-config       # for Swift's package manager, to fetch and find libraries
    libc6-dev libstdc++-12-dev           # libraries that the compiler links
    libsqlite3-dev zlib1g-dev tzdata     # the store, HTTP, time zones
    libpq-dev                            # PostgreSQL, if the store is a database
    libmosquitto-dev                     # the MQTT client library
    mosquitto mosquitto-dev              # the broker, and the headers of its plugins
    mosquitto-clients                    # the commands that `up` prints for pasting
    libsodium-dev                        # hashes and sealing
    libcurl4-openssl-dev                 # e-mail by SMTP, HTTP to webhooks and identity providers
    libqrencode-dev                      # QR codes of labels and invitations
    util-linux                           # setpriv, which ends the broker when the service ends
)

# Additional packages for the tests.
# shellcheck disable=SC2034
test_packages=(
    python3 python3-paho-mqtt            # devices and apps of the end-to-end tests
    python3-venv                         # an environment for the tools of requirements.txt
    chromium-headless-shell              # pages, the contract's parser, the JavaScript client
    nodejs                               # the JavaScript client and the guides' receiver on a server
    python3-jsonschema python3-yaml      # the schemas and examples
    python3-cryptography                 # the tokens of the tests' own provider
    python3-aiosmtpd                     # the mail server of the SMTP tests
    python3-jinja2                       # templates, as Home Assistant applies them
    python3-dateutil                     # a second implementation of schedules' times
    postgresql-15                        # a database server that the tests start
    openssl                              # certificates for the TLS tests
    prometheus                           # alert rules, and a real server that scrapes the service
    gcc curl haproxy                     # tools of the guides in docs/guides
    procps shellcheck zsh                # this folder's scripts, the pasted commands
    lintian man-db systemd               # Debian's checks of packages, pages and units
)

# Additional packages for `deploy/test --long`: the group of three PostgreSQL servers of
# deploy/patroni.
# shellcheck disable=SC2034
long_packages=(
    patroni etcd-server
)

# Additional packages for making packages.
# shellcheck disable=SC2034
package_packages=(
    dpkg-dev binutils chrpath python3    # dependencies, stripping, paths, manual pages
)

# Additional packages for `deploy/test --packages`, which installs the package into a Debian system
# and boots the system.
# shellcheck disable=SC2034
trial_packages=(
    debootstrap                          # the Debian system
    systemd-container iproute2           # the container that boots the system
)

# The build options of deploy/run and deploy/test. Both use the same options, so that neither
# compiles the other's files again. Package.swift says which targets are optimized nevertheless.
# shellcheck disable=SC2034
shared_build=(-c debug --explicit-target-dependency-import-check error)

# The options of builds for packages: all optimized, with the Swift runtime, so that they run
# without a toolchain.
# shellcheck disable=SC2034
release_build=(-c release --static-swift-stdlib)

say() { printf '%s\n' "$*" >&2; }

die() {
    say "error: $*"
    exit 1
}

# Installs the named packages that are missing, and prints their names.
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
    # A fresh machine has no package lists, or old ones. Without a network the existing lists can
    # suffice.
    say "  reading the package lists"
    "${as_root[@]}" apt-get update -qq >/dev/null 2>&1 || say "  apt-get update failed; trying with the package lists that are there"
    say "  downloading and unpacking (a minute or two)"
    case " ${missing[*]} " in *" postgresql-15 "*) keep_postgres_idle ;; esac
    apt_install "${missing[@]}" || die "apt-get could not install: ${missing[*]}"
    # Debian starts a broker on port 1883 when the package is installed; the service's broker needs
    # the port.
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

# Prevents PostgreSQL's package from creating and starting a database, since the tests create their
# own. An existing PostgreSQL isn't changed.
keep_postgres_idle() {
    local settings=/etc/postgresql-common/createcluster.conf
    [ -e "$settings" ] && return 0
    apt_install postgresql-common || die "apt-get could not install: postgresql-common"
    "${as_root[@]}" sed -i 's/^#\?create_main_cluster = .*/create_main_cluster = false/' "$settings"
}

# Installs the tools of deploy/requirements.txt for Debian's Python in a separate folder, unless
# they exist.
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
    command -v swift >/dev/null || die "the Swift toolchain (6.3 or later) is not in PATH: https://www.swift.org/install/linux/"
}
