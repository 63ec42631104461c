FROM node:26.10.0-trixie-slim AS node

FROM node AS build
WORKDIR /src
COPY . .
RUN npm ci --omit=dev --ignore-scripts && npm run pack
RUN npm install --global --ignore-scripts --prefix /opt/gatehouse ./dist/gatehouse-[0-9]*.tgz
RUN mkdir /data

FROM node
ENV NODE_ENV=production HOST=0.0.0.0
COPY --from=build /opt/gatehouse /usr/local
COPY --from=build --chown=1000:1000 /data /data
# The default paths of the database, the key and the mails are relative and begin with data/.
WORKDIR /
USER 1000:1000
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --start-interval=1s \
  CMD ["node", "--eval", "fetch('http://127.0.0.1:' + (process.env.PORT ?? 3000) + '/readyz').then(({ ok }) => process.exit(ok ? 0 : 1))"]
ENTRYPOINT ["gatehouse"]
CMD ["serve"]
