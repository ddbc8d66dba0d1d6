/** Pipelines that build a site with a generator and publish the folder `public`. */
import type { Pipeline } from './ci-text.ts'

interface Site {
  generator: string
  image: string
  script: string[]
  cache?: string[]
}

const bundled = ['bundle config set path vendor', 'bundle install']

const sites: Record<string, Site> = {
  Brunch: { generator: 'Brunch', image: 'node:lts', script: ['npm ci', 'npx brunch build --production'], cache: ['node_modules/'] },
  Doxygen: {
    generator: 'Doxygen',
    image: 'alpine:latest',
    script: ['apk add --no-cache doxygen graphviz', 'doxygen Doxyfile', 'mv docs/html public'],
  },
  Gatsby: { generator: 'Gatsby', image: 'node:lts', script: ['npm ci', 'npx gatsby build'], cache: ['node_modules/'] },
  HTML: { generator: 'nothing but files', image: 'alpine:latest', script: ['mkdir -p .site', 'cp -r ./* .site', 'mv .site public'] },
  Harp: { generator: 'Harp', image: 'node:lts', script: ['npm install --global harp', 'harp compile . public'] },
  Hexo: { generator: 'Hexo', image: 'node:lts', script: ['npm ci', 'npx hexo generate'], cache: ['node_modules/'] },
  Hugo: { generator: 'Hugo', image: 'hugomods/hugo:exts', script: ['hugo --minify'] },
  Hyde: { generator: 'Hyde', image: 'python:3', script: ['pip install hyde', 'hyde gen -d public'] },
  JBake: { generator: 'JBake', image: 'jbake/jbake:latest', script: ['jbake -b . public'] },
  Jekyll: {
    generator: 'Jekyll',
    image: 'ruby:3',
    script: [...bundled, 'bundle exec jekyll build -d public'],
    cache: ['vendor/'],
  },
  Lektor: { generator: 'Lektor', image: 'python:3', script: ['pip install lektor', 'lektor build --output-path public'] },
  Metalsmith: { generator: 'Metalsmith', image: 'node:lts', script: ['npm ci', 'node index.js'], cache: ['node_modules/'] },
  Middleman: {
    generator: 'Middleman',
    image: 'ruby:3',
    script: [...bundled, 'bundle exec middleman build --build-dir public'],
    cache: ['vendor/'],
  },
  Nanoc: { generator: 'Nanoc', image: 'ruby:3', script: [...bundled, 'bundle exec nanoc', 'mv output public'], cache: ['vendor/'] },
  Octopress: { generator: 'Octopress', image: 'ruby:3', script: [...bundled, 'bundle exec rake generate'], cache: ['vendor/'] },
  Pelican: { generator: 'Pelican', image: 'python:3', script: ['pip install -r requirements.txt', 'pelican --output public content'] },
}

/** Keyed by the names that clients know. */
export const pagesFiles: Record<string, Pipeline> = Object.fromEntries(
  Object.entries(sites).map(([name, { generator, image, script, cache }]) => [
    name,
    {
      about: `Builds a site with ${generator}, and publishes the folder public.`,
      image,
      ...(cache && { cache }),
      jobs: { pages: { stage: 'deploy', script, keep: ['public/'] } },
    },
  ]),
)
