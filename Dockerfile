# The API, or with another command the collector (.build/collect.js), the worker (.build/work.js) or migrations (.build/cli.js
# migrate): all have ClickHouse in CLICKHOUSE_URL, and the first two budgets in REDIS_URL. clickhouse/compose.yaml and clickhouse/kubernetes/ run them.
FROM node:24-bookworm-slim AS dependencies
WORKDIR /srv
COPY package.json package-lock.json .npmrc ./
# The embedded engine is for a machine without a ClickHouse server, and is most of the install.
RUN npm ci --omit=dev && rm -rf node_modules/chdb node_modules/@chdb node_modules/ffi-rs node_modules/@yuuang

FROM node:24-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8787 DRAIN_SECONDS=10 KEEP_ALIVE_SECONDS=620
WORKDIR /srv
COPY --from=dependencies /srv/node_modules node_modules
COPY package.json tsconfig.json ./
COPY schema schema
COPY queries queries
COPY clickhouse clickhouse
COPY fixtures fixtures
COPY app app
RUN node app/build.js app/serve.ts app/collect.ts app/work.ts app/cli.ts
# An import of stdin writes rejected lines to its working directory; the collector's blocks in flight are in data.
RUN mkdir data && chown node:node . data
USER node
EXPOSE 8787 8788
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/livez').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", ".build/serve.js"]
