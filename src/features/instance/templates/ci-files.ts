/** Descriptions of pipelines for projects of a kind. */

const files: Record<string, string> = {
  Bash: `# Runs the scripts of the project one after another.
stages:
  - build
  - test

build:
  stage: build
  script:
    - ./build.sh

test:
  stage: test
  script:
    - ./test.sh
`,
  Docker: `# Builds an image from the Dockerfile, and keeps it in the registry of the project.
image: docker:stable

services:
  - docker:dind

build:
  stage: build
  before_script:
    - docker login -u "$CI_REGISTRY_USER" -p "$CI_REGISTRY_PASSWORD" "$CI_REGISTRY"
  script:
    - docker build --pull -t "$CI_REGISTRY_IMAGE:$CI_COMMIT_REF_SLUG" .
    - docker push "$CI_REGISTRY_IMAGE:$CI_COMMIT_REF_SLUG"
`,
  Go: `# Vets, tests and builds a Go module.
image: golang:latest

test:
  stage: test
  script:
    - go vet ./...
    - go test -race ./...

build:
  stage: build
  script:
    - go build -o bin/ ./...
  artifacts:
    paths:
      - bin/
`,
  Node: `# Installs the dependencies that the lock file names, and runs the tests.
image: node:lts

cache:
  paths:
    - .npm/

test:
  stage: test
  script:
    - npm ci --cache .npm --prefer-offline
    - npm test
`,
  Python: `# Installs the project with its dependencies into an environment of its own, and runs the tests.
image: python:3

cache:
  paths:
    - .cache/pip/

test:
  stage: test
  variables:
    PIP_CACHE_DIR: "$CI_PROJECT_DIR/.cache/pip"
  script:
    - python -m venv .venv
    - . .venv/bin/activate
    - pip install . pytest
    - pytest
`,
  Ruby: `# Installs the gems that the lock file names, and runs the task test.
image: ruby:3

cache:
  paths:
    - vendor/bundle/

test:
  stage: test
  variables:
    BUNDLE_PATH: vendor/bundle
  script:
    - bundle install
    - bundle exec rake test
`,
  Rust: `# Tests and builds a crate.
image: rust:latest

cache:
  paths:
    - target/

test:
  stage: test
  script:
    - cargo test --locked

build:
  stage: build
  script:
    - cargo build --release --locked
  artifacts:
    paths:
      - target/release/
`,
}

/** Each begins by saying what it is. */
export const ciFiles: Record<string, string> = Object.fromEntries(
  Object.entries(files).map(([name, text]) => [name, `# This file is a template, to be fitted to your project.\n${text}`]),
)
