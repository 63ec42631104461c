#!/bin/sh
# Exchanges REFRESH_TOKEN for a new pair of tokens. A refresh token works once, so store the new one.
curl --fail-with-body -s -u "$CLIENT_ID:$CLIENT_SECRET" \
  -d grant_type=refresh_token --data-urlencode "refresh_token=$REFRESH_TOKEN" \
  "$GATEHOUSE_URL/api/oauth2/token"
