# Image for brokers, workers and clients: `ink` and its libraries, run by an unprivileged user.
#
# The base images are pinned, the runtime image also by digest. To pin the build image by digest:
#   docker build --build-arg BUILD_IMAGE=docker.io/library/swift:6.3.1-bookworm@sha256:... .
# `docker buildx imagetools inspect IMAGE` prints a digest. Both images must be of the same Debian release.
ARG BUILD_IMAGE=docker.io/library/swift:6.3.1-bookworm
ARG RUNTIME_IMAGE=docker.io/library/debian:bookworm-20260824-slim@sha256:88200866dfff7ea7f5cbcb6ec7c8a701889efe6fe859fe64d6990e4b07ea4171

FROM ${BUILD_IMAGE} AS build
# The libraries of Scripts/setup.sh, without test tools, in the versions of the pinned distribution.
# hadolint ignore=DL3008
RUN apt-get update \
    && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
        libcli11-dev libisal-dev libjpeg-dev libpng-dev libsimdjson-dev libsqlite3-dev libssl-dev libzip-dev libzmq3-dev \
        libzstd-dev zlib1g-dev libwebp-dev libgif-dev libtiff-dev liblcms2-dev libexpat1-dev libharfbuzz-dev libfribidi-dev libmicrohttpd-dev \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY Package.swift ./
COPY Sources Sources
# Package.swift names the tests; they are not built here.
COPY Tests Tests
RUN swift build -c release --product ink \
    && install -D "$(swift build -c release --show-bin-path)/ink" /out/ink \
    && strip /out/ink

FROM ${RUNTIME_IMAGE} AS runtime
# hadolint ignore=DL3008
RUN apt-get update \
    && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
        ca-certificates libisal2 libjpeg62-turbo libpng16-16 libsimdjson14 libsqlite3-0 libssl3 libstdc++6 libzip4 libzmq5 libzstd1 \
        zlib1g libwebp7 libwebpdemux2 libgif7 libtiff6 liblcms2-2 libexpat1 libharfbuzz0b libfribidi0 libjxl0.7 libmicrohttpd12 libcurl4 \
        fonts-dejavu-core \
    && rm -rf /var/lib/apt/lists/* /var/cache/* /var/log/* \
    && groupadd --system --gid 10001 ink \
    && useradd --system --uid 10001 --gid ink --home-dir /nonexistent --no-create-home --shell /usr/sbin/nologin ink \
    && mkdir -p /keyring/broker /keyring/worker /keyring/client \
    && install -d -o ink -g ink -m 0700 /data /keys /keyring /keyring/broker /keyring/worker /keyring/client \
    && install -d -o ink -g ink -m 0755 /inputs /pictures
COPY --from=build /out/ink /usr/local/bin/ink
COPY --chmod=0755 deploy/bin/ink-health /usr/local/bin/ink-health
COPY --chmod=0755 deploy/bin/ink-keyring /usr/local/bin/ink-keyring
# Fails here, not at the first start, if a library is missing.
RUN ink doctor >/dev/null

ARG VERSION=unknown
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Ink export farm" \
    org.opencontainers.image.description="Broker, worker and client of a farm that renders Ink projects to PNG" \
    org.opencontainers.image.version="${VERSION}" \
    org.opencontainers.image.revision="${REVISION}"

# Only the data folder is certainly writable and on a disk.
ENV INK_DATA=/data \
    INK_SPILL_FOLDER=/data
USER 10001:10001
WORKDIR /data
VOLUME /data
EXPOSE 5570 5571 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 CMD ["ink-health"]
ENTRYPOINT ["ink"]
CMD ["help"]
