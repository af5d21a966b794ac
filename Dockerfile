# A machine on which everything runs, set up by the project's own `make setup`:
#
#     docker build --tag concmodels .
#     docker run --rm concmodels                            make demo
#     docker run --rm --interactive --tty concmodels bash   a shell in the project's folder
FROM python:3.14-slim

# Of Debian the version that the image is of: nothing of the measurements or the tests depends on these two.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends git make \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home --shell /bin/bash learner \
    && install --directory --owner=learner --group=learner /home/learner/concmodels

# By the name that .devcontainer knows it by.
# hadolint ignore=DL3066
USER learner
WORKDIR /home/learner/concmodels

# What the set-up reads: as long as only other files change, its layer is kept.
COPY --chown=learner:learner Makefile ./
COPY --chown=learner:learner requirements requirements
COPY --chown=learner:learner tools tools
RUN make setup

COPY --chown=learner:learner . .
CMD ["make", "demo"]
