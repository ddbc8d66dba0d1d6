/** CI file templates for kinds of projects, by the names that clients know. */
import { pagesFiles } from './ci-pages.ts'
import { type Pipeline, pipelineText } from './ci-text.ts'

const pipelines: Record<string, Pipeline> = {
  Android: {
    about: 'Checks and builds an app with the Gradle wrapper of the project.',
    image: 'eclipse-temurin:17-jdk',
    before: ['chmod +x ./gradlew'],
    cache: ['.gradle/'],
    jobs: {
      lint: { stage: 'build', script: ['./gradlew lintDebug'] },
      assemble: { stage: 'build', script: ['./gradlew assembleDebug'], keep: ['app/build/outputs/'] },
      test: { stage: 'test', script: ['./gradlew testDebug'] },
    },
  },
  Bash: {
    about: 'Runs the scripts of the project one after another.',
    jobs: { build: { stage: 'build', script: ['./build.sh'] }, test: { stage: 'test', script: ['./test.sh'] } },
  },
  'C++': {
    about: 'Builds with make, keeps the program and runs it.',
    image: 'gcc',
    jobs: {
      build: { stage: 'build', script: ['make all'], keep: ['bin/'] },
      test: { stage: 'test', script: ['make check'] },
    },
  },
  Chef: {
    about: 'Checks the style of a cookbook and runs its unit tests.',
    image: 'chef/chefdk',
    jobs: {
      cookstyle: { stage: 'build', script: ['cookstyle .'] },
      chefspec: { stage: 'test', script: ['chef exec rspec'] },
    },
  },
  Clojure: {
    about: 'Fetches the dependencies and runs the tests with Leiningen.',
    image: 'clojure:lein',
    cache: ['.m2/'],
    jobs: { test: { stage: 'test', script: ['lein deps', 'lein test'] } },
  },
  Crystal: {
    about: 'Installs the shards and runs the specs.',
    image: 'crystallang/crystal:latest',
    cache: ['lib/'],
    jobs: { spec: { stage: 'test', script: ['shards install', 'crystal spec'] } },
  },
  Django: {
    about: 'Runs the tests of a Django project against PostgreSQL.',
    image: 'python:3',
    services: ['postgres:latest'],
    variables: { POSTGRES_DB: 'project', POSTGRES_USER: 'runner', POSTGRES_PASSWORD: 'only-for-tests', PIP_CACHE_DIR: '.cache/pip' },
    cache: ['.cache/pip/'],
    jobs: { test: { stage: 'test', script: ['pip install -r requirements.txt', 'python manage.py migrate', 'python manage.py test'] } },
  },
  Docker: {
    about: 'Builds an image from the Dockerfile, and keeps it in the registry of the project.',
    image: 'docker:stable',
    services: ['docker:dind'],
    before: ['docker login -u "$CI_REGISTRY_USER" -p "$CI_REGISTRY_PASSWORD" "$CI_REGISTRY"'],
    jobs: {
      build: {
        stage: 'build',
        script: [
          'docker build --pull -t "$CI_REGISTRY_IMAGE/$CI_COMMIT_REF_SLUG" .',
          'docker push "$CI_REGISTRY_IMAGE/$CI_COMMIT_REF_SLUG"',
        ],
      },
    },
  },
  Elixir: {
    about: 'Fetches the dependencies of a Mix project and runs its tests.',
    image: 'elixir:latest',
    before: ['mix local.rebar --force', 'mix local.hex --force', 'mix deps.get'],
    cache: ['deps/', '_build/'],
    jobs: { test: { stage: 'test', script: ['mix test'] } },
  },
  Go: {
    about: 'Vets, tests and builds a Go module.',
    image: 'golang:latest',
    jobs: {
      build: { stage: 'build', script: ['go build -o bin/ ./...'], keep: ['bin/'] },
      test: { stage: 'test', script: ['go vet ./...', 'go test -race ./...'] },
    },
  },
  Gradle: {
    about: 'Builds and tests with Gradle, which keeps what it fetched with the project.',
    image: 'gradle:latest',
    variables: { GRADLE_USER_HOME: '.gradle' },
    cache: ['.gradle/'],
    jobs: {
      build: { stage: 'build', script: ['gradle --build-cache assemble'], keep: ['build/libs/'] },
      test: { stage: 'test', script: ['gradle check'] },
    },
  },
  Grails: {
    about: 'Tests and packages a Grails application with its wrapper.',
    image: 'eclipse-temurin:11-jdk',
    cache: ['.gradle/'],
    jobs: {
      test: { stage: 'test', script: ['./grailsw test-app'] },
      package: { stage: 'deploy', script: ['./grailsw war'], keep: ['build/libs/'] },
    },
  },
  Julia: {
    about: 'Instantiates the environment of a package and runs its tests.',
    image: 'julia:latest',
    jobs: { test: { stage: 'test', script: ["julia --project -e 'using Pkg; Pkg.instantiate(); Pkg.test()'"] } },
  },
  LaTeX: {
    about: 'Sets the document main.tex and keeps the PDF.',
    image: 'texlive/texlive',
    jobs: { pdf: { stage: 'build', script: ['latexmk -pdf -interaction=nonstopmode main.tex'], keep: ['main.pdf'] } },
  },
  Laravel: {
    about: 'Runs the tests of a Laravel application against MySQL.',
    image: 'composer:latest',
    services: ['mysql:latest'],
    variables: { MYSQL_DATABASE: 'project', MYSQL_ROOT_PASSWORD: 'only-for-tests', DB_HOST: 'mysql', DB_USERNAME: 'root' },
    cache: ['vendor/'],
    jobs: {
      test: {
        stage: 'test',
        script: [
          'composer install --no-interaction',
          'cp .env.example .env',
          'php artisan key:generate',
          'php artisan migrate',
          'php artisan test',
        ],
      },
    },
  },
  Maven: {
    about: 'Compiles, verifies and packages with Maven, which keeps what it fetched with the project.',
    image: 'maven:3',
    variables: { MAVEN_OPTS: '-Dmaven.repo.local=.m2/repository', MAVEN_CLI_OPTS: '--batch-mode --errors --show-version' },
    cache: ['.m2/repository/'],
    jobs: {
      build: { stage: 'build', script: ['mvn $MAVEN_CLI_OPTS package -DskipTests'], keep: ['target/*.jar'] },
      verify: { stage: 'test', script: ['mvn $MAVEN_CLI_OPTS verify'] },
    },
  },
  Mono: {
    about: 'Restores the packages of a solution, builds it and keeps the result.',
    image: 'mono:latest',
    jobs: { release: { stage: 'deploy', script: ['nuget restore', 'msbuild /p:Configuration=Release'], keep: ['build/'] } },
  },
  Nodejs: {
    about: 'Installs the dependencies that the lock file names, and runs the tests.',
    image: 'node:lts',
    cache: ['.npm/'],
    jobs: { test: { stage: 'test', script: ['npm ci --cache .npm --prefer-offline', 'npm test'] } },
  },
  PHP: {
    about: 'Installs the dependencies with Composer and runs PHPUnit.',
    image: 'composer:latest',
    cache: ['vendor/'],
    jobs: { test: { stage: 'test', script: ['composer install --no-interaction', 'vendor/bin/phpunit'] } },
  },
  Packer: {
    about: 'Validates the templates of machine images, and builds them by hand.',
    image: 'hashicorp/packer:latest',
    jobs: {
      validate: { stage: 'build', script: ['packer init .', 'packer validate .'] },
      build: { stage: 'deploy', script: ['packer init .', 'packer build .'], manual: true },
    },
  },
  Python: {
    about: 'Installs the project with its dependencies into an environment of its own, and runs the tests.',
    image: 'python:3',
    variables: { PIP_CACHE_DIR: '.cache/pip' },
    cache: ['.cache/pip/'],
    jobs: { test: { stage: 'test', script: ['python -m venv .venv', '. .venv/bin/activate', 'pip install . pytest', 'pytest'] } },
  },
  Ruby: {
    about: 'Installs the gems that the lock file names, and runs the default task.',
    image: 'ruby:3',
    variables: { BUNDLE_PATH: 'vendor/bundle' },
    cache: ['vendor/bundle/'],
    jobs: { test: { stage: 'test', script: ['bundle install', 'bundle exec rake'] } },
  },
  Rust: {
    about: 'Tests and builds a crate.',
    image: 'rust:latest',
    cache: ['target/'],
    jobs: {
      test: { stage: 'test', script: ['cargo test --locked'] },
      release: { stage: 'deploy', script: ['cargo build --release --locked'], keep: ['target/release/'] },
    },
  },
  Scala: {
    about: 'Compiles and tests with sbt.',
    image: 'sbtscala/scala-sbt:eclipse-temurin-17.0.14_7_1.10.11_3.6.4',
    cache: ['.ivy2/', '.sbt/'],
    jobs: { test: { stage: 'test', script: ['sbt clean compile test'] } },
  },
  Swift: {
    about: 'Builds and tests a Swift package.',
    image: 'swift:latest',
    cache: ['.build/'],
    jobs: { build: { stage: 'build', script: ['swift build'] }, test: { stage: 'test', script: ['swift test'] } },
  },
  Terraform: {
    about: 'Validates a configuration, keeps the plan, and applies it by hand.',
    image: 'hashicorp/terraform:latest',
    before: ['terraform init -input=false'],
    cache: ['.terraform/'],
    jobs: {
      validate: { stage: 'build', script: ['terraform validate'] },
      plan: { stage: 'test', script: ['terraform plan -input=false -out=tfplan'], keep: ['tfplan'] },
      apply: { stage: 'deploy', script: ['terraform apply -input=false tfplan'], manual: true },
    },
  },
  dotNET: {
    about: 'Restores, builds and tests a .NET solution.',
    image: 'mcr.microsoft.com/dotnet/sdk:latest',
    variables: { NUGET_PACKAGES: '.nuget' },
    cache: ['.nuget/'],
    jobs: {
      build: { stage: 'build', script: ['dotnet restore', 'dotnet build --no-restore'] },
      test: { stage: 'test', script: ['dotnet test'] },
    },
  },
}

export const ciFiles: Record<string, string> = Object.fromEntries(
  Object.entries({ ...pipelines, ...pagesFiles }).map(([name, pipeline]) => [name, pipelineText(pipeline)]),
)
