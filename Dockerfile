# fieldloop with the whole loop; the workspace is the volume /workspace.
#   docker build -t fieldloop .
#   docker run --rm -v "$PWD/data:/data:ro" fieldloop check /data
FROM python:3.12-slim

WORKDIR /opt/fieldloop
COPY robot robot
COPY src src
COPY pyproject.toml README.md LICENSE ./
RUN pip install --no-cache-dir ./robot '.[all,postgres,s3]' \
    && useradd --create-home fieldloop \
    && install -d -o fieldloop /workspace

USER fieldloop
WORKDIR /workspace
ENV OPENBLAS_NUM_THREADS=1
EXPOSE 8080
ENTRYPOINT ["fieldloop"]
CMD ["--help"]
