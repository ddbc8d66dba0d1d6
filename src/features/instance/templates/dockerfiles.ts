/** Dockerfiles for kinds of projects, by the names that clients know. */

const programOf = (base: string, copied: string) => `FROM ${base}
COPY ${copied} /usr/local/bin/app
USER 1000
ENTRYPOINT ["/usr/local/bin/app"]
`

const goOn = (base: string, release: string) => `# Built in one image, run in another.
FROM ${base} AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -o /app .

FROM ${release}
COPY --from=build /app /app
USER 1000
ENTRYPOINT ["/app"]
`

const nodeOn = (base: string) => `FROM ${base}
WORKDIR /app
ENV NODE_ENV=production
COPY package.json package-lock.json ./
RUN npm ci --omit=dev
COPY . .
USER node
EXPOSE 3000
CMD ["npm", "start"]
`

const javaOn = (base: string) => `FROM ${base}
WORKDIR /app
COPY build/libs/app.jar app.jar
USER 1000
EXPOSE 8080
CMD ["java", "-jar", "app.jar"]
`

const pythonOn = (base: string) => `FROM ${base}
WORKDIR /app
ENV PYTHONUNBUFFERED=1
COPY requirements.txt ./
RUN pip install --no-cache-dir -r requirements.txt
COPY . .
USER nobody
CMD ["python", "main.py"]
`

const rubyOn = (base: string) => `FROM ${base}
WORKDIR /app
COPY Gemfile Gemfile.lock ./
RUN bundle config set without 'development test' && bundle install
COPY . .
USER nobody
CMD ["ruby", "main.rb"]
`

export const dockerfiles: Record<string, string> = {
  Binary: `# Runs a program that was compiled before, with the libraries of Debian.\n${programOf('debian:stable-slim', 'app')}`,
  'Binary-alpine': `# Runs a program that was compiled before against musl.\n${programOf('alpine:latest', 'app')}`,
  'Binary-scratch': `# Runs a program that was linked statically, and nothing else.\n${programOf('scratch', 'app')}`,
  Golang: goOn('golang:latest', 'debian:stable-slim'),
  'Golang-alpine': goOn('golang:alpine', 'alpine:latest'),
  'Golang-scratch': goOn('golang:latest', 'scratch'),
  HTTPd: `# Serves the files of the folder public.
FROM httpd:2.4
COPY public/ /usr/local/apache2/htdocs/
`,
  Node: nodeOn('node:lts'),
  'Node-alpine': nodeOn('node:lts-alpine'),
  OpenJDK: javaOn('eclipse-temurin:21-jre'),
  'OpenJDK-alpine': javaOn('eclipse-temurin:21-jre-alpine'),
  PHP: `# Serves the files of the folder public with Apache.
FROM php:8-apache
COPY public/ /var/www/html/
`,
  Python: pythonOn('python:3'),
  'Python-alpine': pythonOn('python:3-alpine'),
  Python2: pythonOn('python:2.7'),
  Ruby: rubyOn('ruby:3'),
  'Ruby-alpine': rubyOn('ruby:3-alpine'),
}
