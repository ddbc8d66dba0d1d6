/** Dockerfiles for projects of a kind. */

export const dockerfiles: Record<string, string> = {
  Go: `# Built in one image, run in another that holds nothing but the program.
FROM golang:latest AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -o /app .

FROM scratch
COPY --from=build /app /app
USER 1000
ENTRYPOINT ["/app"]
`,
  Node: `FROM node:lts
WORKDIR /app
ENV NODE_ENV=production
COPY package.json package-lock.json ./
RUN npm ci --omit=dev
COPY . .
USER node
EXPOSE 3000
CMD ["npm", "start"]
`,
  Python: `FROM python:3
WORKDIR /app
ENV PYTHONUNBUFFERED=1
COPY requirements.txt ./
RUN pip install --no-cache-dir -r requirements.txt
COPY . .
USER nobody
CMD ["python", "main.py"]
`,
  Ruby: `FROM ruby:3
WORKDIR /app
COPY Gemfile Gemfile.lock ./
RUN bundle config set without 'development test' && bundle install
COPY . .
USER nobody
CMD ["ruby", "main.rb"]
`,
  Static: `# Serves the files of the folder public.
FROM nginx:stable
COPY public/ /usr/share/nginx/html/
`,
}
