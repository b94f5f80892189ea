# ask SERVICE/METHOD PARAMS: sends a request as the terminal and prints the answer.
# Needs mosquitto_rr (Debian: mosquitto-clients) and the LL_ variables.
ask() {
    session=${LL_TOKEN:+'"token":"'$LL_TOKEN'",'}
    mosquitto_rr -V 5 -h "${LL_HOST:-127.0.0.1}" -p "${LL_PORT:-1883}" -q 1 -W 15 \
        -i "$LL_TERMINAL" -u "app:$LL_APP" -P "${LL_TOKEN:-$LL_SECRET}" \
        -t "ll/v1/app/$LL_APP/$LL_TERMINAL/request/$1" -e "ll/v1/app/$LL_APP/$LL_TERMINAL/response" \
        -m '{"id":"'"$(date +%s%N)"'",'"$session"'"params":'"$2"'}'
}
