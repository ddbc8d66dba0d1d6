/** The files in deploy/ fit this version: metrics, settings, log lines and paths that they name exist. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { describeSettings } from '../../src/config.ts'
import { testForge } from '../support/forge.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const files = readdirSync(join(root, 'deploy')).map((name) => `deploy/${name}`)

/** Without the suffixes that Prometheus adds to the parts of a histogram. */
const metricsIn = (text: string) =>
  [...new Set(text.match(/\bgitstead_[a-z0-9_]+/g))].map((name) => name.replace(/_(bucket|count|sum)$/, ''))

test.each(['deploy/grafana-dashboard.json', 'deploy/gitstead-alerts.yml'])('each metric that %s names is in /-/metrics', async (file) => {
  const forge = await testForge()
  const { text } = await forge.as(forge.root).get('//-/metrics')
  const served = new Set([...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name))
  const named = metricsIn(read(file))
  expect(named.length).toBeGreaterThan(10)
  expect(named.filter((name) => !served.has(name))).toEqual([])
})

test('every metric of our own is on the dashboard', async () => {
  const forge = await testForge()
  const { text } = await forge.as(forge.root).get('//-/metrics')
  const own = [...text.matchAll(/^# TYPE (gitstead_(?!nodejs_|process_)\S+) /gm)].map(([, name = '']) => name)
  const shown = new Set(metricsIn(read('deploy/grafana-dashboard.json')))
  expect(own.filter((name) => !shown.has(name))).toEqual([])
})

test('each setting that deploy/ names exists', () => {
  // The runner is a program of its own, so its settings are in its own documentation.
  const known = new Set([describeSettings(), read('docs/ci.md')].flatMap((text) => text.match(/GITSTEAD_[A-Z0-9_]+/g) ?? []))
  const named = files.flatMap((file) => read(file).match(/GITSTEAD_[A-Z0-9_]+/g) ?? [])
  expect(named).not.toEqual([])
  expect(named.filter((name) => !known.has(name))).toEqual([])
})

test('the files of the repository that deploy/ names are there, and the documentation names each file of deploy/', () => {
  const named = files.flatMap((file) => read(file).match(/\b(?:docs|deploy)\/[\w.-]+/g) ?? []).map((name) => name.replace(/\.$/, ''))
  expect(named.filter((name) => !existsSync(join(root, name)) && name !== 'deploy/.env')).toEqual([])
  const pages = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md'))
  const documented = pages.map((name) => read(`docs/${name}`)).join('\n')
  expect(files.filter((file) => !documented.includes(file))).toEqual([])
})

test('the image copies what the build needs, and .dockerignore lets it through', () => {
  const copied = [...read('deploy/Dockerfile').matchAll(/^COPY (?!--from)(.*) \S+$/gm)].flatMap(([, names = '']) => names.split(' '))
  const let_through = new Set([...read('.dockerignore').matchAll(/^!(.*)$/gm)].map(([, name]) => name))
  expect(copied.filter((name) => !existsSync(join(root, name)) || !let_through.has(name))).toEqual([])
})
