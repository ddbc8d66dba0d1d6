import { expect, test } from 'vitest'
import { configOf, contextOf, errorsOf, expectErrors } from '../../../test/support/fixtures/ci.ts'
import type { IncludeLoader } from '../plan.ts'
import { parseConfig } from '../planning/planning.ts'

const job = (keys: string) => `rspec:\n  script: test\n${keys.replace(/^/gm, '  ')}`
const [list, text] = ['should be an array of strings', 'should be a hash or a string']
const script = 'config should be a string or a nested array of strings up to 10 levels deep'

/** Each message comes from the specs of the reference release, in the words of today where the rule has changed since. */
test.each([
  [job('tags: mysql'), 'jobs:rspec tags should be an array of strings'],
  ['before_script: {a: b}\nrspec: {script: test}', `before_script ${script}`],
  [job('before_script: [10, test]'), `jobs:rspec:before_script ${script}`],
  [job('after_script: [10, test]'), `jobs:rspec:after_script ${script}`],
  ['image: [test]\nrspec: {script: test}', `image config ${text}`],
  ['"": {script: test}', "jobs:job name can't be blank"],
  [job('image: [test]'), `jobs:rspec:image config ${text}`],
  ['services: test\nrspec: {script: test}', 'services config should be a array'],
  ['services: [10, test]\nrspec: {script: test}', `service config ${text}`],
  [job('services: test'), 'jobs:rspec:services config should be a array'],
  [job('services: [10, test]'), `jobs:rspec:service config ${text}`],
  ['extra: bundle update', 'jobs:extra config should be a hash'],
  ['before_script: [bundle update]', 'jobs config should contain at least one visible job'],
  ['.hidden: {script: ls}', 'jobs config should contain at least one visible job'],
  [job('allow_failure: string'), 'jobs:rspec allow failure should be a boolean value'],
  [job('type: 1'), 'jobs:rspec:type config should be a string'],
  [job('type: acceptance'), 'rspec job: stage parameter should be .pre, build, test, deploy, .post'],
  ['types: [build, test]\nrspec: {script: test, type: acceptance}', 'rspec job: stage parameter should be .pre, build, test, .post'],
  ['stages: test\nrspec: {script: test}', `stages config ${list}`],
  ['stages: [true, test]\nrspec: {script: test}', `stages config ${list}`],
  ['variables: test\nrspec: {script: test}', 'variables config should be a hash of key value pairs'],
  ['variables: {test: false}\nrspec: {script: test}', 'variables config should be a hash of key value pairs'],
  [job('when: 1'), 'jobs:rspec when should be one of: on_success, on_failure, always, manual, delayed'],
  [job('artifacts: {name: 1}'), 'jobs:rspec:artifacts name should be a string'],
  [job('artifacts: {when: 1}'), 'jobs:rspec:artifacts when should be on_success, on_failure or always'],
  [job('artifacts: {expire_in: 1}'), 'jobs:rspec:artifacts expire in should be a duration'],
  [job('artifacts: {expire_in: 7 elephants}'), 'jobs:rspec:artifacts expire in should be a duration'],
  [job('artifacts: {untracked: string}'), 'jobs:rspec:artifacts untracked should be a boolean value'],
  [job('artifacts: {paths: string}'), `jobs:rspec:artifacts paths ${list}`],
  [job('artifacts: {test: x}'), 'jobs:rspec:artifacts config contains unknown keys: test'],
  [job('artifacts: {reports: x}'), 'jobs:rspec:artifacts:reports config should be a hash'],
  [job('artifacts: {reports: {junit: {}}}'), 'jobs:rspec:artifacts:reports junit should be an array of strings or a string'],
  ['cache: {untracked: string}\nrspec: {script: test}', 'cache:untracked config should be a boolean value'],
  ['cache: {paths: string}\nrspec: {script: test}', `cache:paths config ${list}`],
  ['cache: {key: 1}\nrspec: {script: test}', 'cache:key config should be a hash, a string or a symbol'],
  [job('cache: {key: a%2Fb}'), 'jobs:rspec:cache:key config cannot contain the "/" character'],
  [job('cache: {key: ..}'), 'jobs:rspec:cache:key config cannot be "." or ".."'],
  [job('cache: {policy: x}'), 'jobs:rspec:cache policy should be pull-push, push, or pull'],
  [job('dependencies: string'), `jobs:rspec dependencies ${list}`],
  [job("only: {variables: ['== null']}"), 'jobs:rspec:only variables invalid expression syntax'],
  [job('only: 1'), 'jobs:rspec:only has to be either an array of conditions or a hash'],
  [job('only: [/(?=a)/]'), 'jobs:rspec:only config should be an array of strings or regular expressions using re2 syntax'],
  [job('extends: something'), 'rspec: unknown keys in `extends` (something)'],
  [job('retry: 3'), 'jobs:rspec:retry config must be less than or equal to 2'],
  [job('retry: two'), 'jobs:rspec:retry config is not a number'],
  [job('coverage: a'), 'jobs:rspec:coverage config must be a regular expression'],
  [job('environment: [a]'), `jobs:rspec:environment config ${text}`],
  [job('environment: {name: production, action: pause}'), 'jobs:rspec:environment action should be start, stop, prepare, verify or access'],
  [job('environment: {name: a, on_stop: stop}'), 'rspec job: on_stop job stop is not defined'],
  [job('dependencies: [build]'), 'rspec job: undefined dependency: build'],
  [job('dependencies: [rspec]'), 'rspec job: dependency rspec is not defined in prior stages'],
  [job('unknown: 1'), 'jobs:rspec config contains unknown keys: unknown'],
  ['rspec: {stage: test}', "jobs:rspec script can't be blank"],
  ['rspec: {}', "jobs:rspec config can't be blank"],
  ['stages: {script: test}', `stages config ${list}`],
])('%j: %s', async (yaml, error) => {
  const [first] = await errorsOf(yaml)
  expect(first).toBe(error)
})

/** Keywords of today. */
test.each([
  [job('rules: [{if: $A ==}]'), 'jobs:rspec:rules:rule if invalid expression syntax'],
  [job('rules: [{when: sometimes}]'), 'jobs:rspec:rules:rule when unknown value: sometimes'],
  [job('rules: [{}]'), "jobs:rspec:rules:rule config can't be blank"],
  [job('rules: x'), 'jobs:rspec:rules config should be an array containing hashes and arrays of hashes'],
  [job('rules: [{if: $A}]\nonly: [main]'), 'jobs:rspec config key may not be used with `rules`: only'],
  [job('needs: [build]'), 'rspec job: undefined need: build'],
  [job('needs: [rspec]'), 'The pipeline has circular dependencies: rspec'],
  [job('needs: {a: b}'), 'jobs:rspec:needs:need config contains unknown keys: a'],
  [job('needs: [{job: ""}]'), "jobs:rspec:needs:need job can't be blank"],
  [
    job(
      `needs: [${Array.from({ length: 51 }, (_, at) => at)
        .map(String)
        .map((name) => `"${name}"`)}]`,
    ),
    'jobs:rspec:needs config one job can only need 50 others, but you have listed 51',
  ],
  [job('parallel: 201'), 'jobs:rspec:parallel config must be less than or equal to 200'],
  [job('parallel: 0'), 'jobs:rspec:parallel config must be greater than or equal to 1'],
  [job('parallel: {matrix: [{A: [1, 2], B: 5.5}, {}]}'), 'jobs:rspec:parallel:matrix:variables config should be a hash of key value pairs'],
  [
    job(`parallel: {matrix: [{A: [${'1, '.repeat(15)}], B: [${'1, '.repeat(15)}]}]}`),
    'jobs:rspec:parallel:matrix config generates too many jobs (maximum is 200)',
  ],
  [job('timeout: 1 elephant'), 'jobs:rspec:timeout config should be a duration'],
  [job('interruptible: maybe'), 'jobs:rspec interruptible config should be a boolean value'],
  [job('start_in: 1 day'), 'jobs:rspec start in must be blank'],
  [job('when: delayed'), 'jobs:rspec start in should be a duration'],
  [job('when: delayed\nstart_in: 8 days'), 'jobs:rspec start in should not exceed the limit'],
  [job('inherit: {default: 1}'), 'jobs:rspec:inherit:default should be a bool or array of strings'],
  [job('trigger: group/project'), 'jobs:rspec config contains unknown keys: script'],
  ['rspec: {trigger: {a: b}}', 'jobs:rspec:trigger config must specify either project or include'],
  ['rspec: {trigger: {project: a/b, strategy: wait}}', 'jobs:rspec:trigger strategy should be depend or mirror'],
  ['workflow: {rules: [{when: manual}]}\nrspec: {script: test}', 'workflow:rules:rule when unknown value: manual'],
  ['workflow: x\nrspec: {script: test}', 'workflow config should be a hash'],
  ['default: {script: x}\nrspec: {script: test}', 'default config contains unknown keys: script'],
  ['default: {image: a}\nimage: b\nrspec: {script: test}', 'default config image is defined in top-level and `default:` entry'],
  ['variables: {A: {value: a, options: [b]}}\nrspec: {script: test}', 'variables config A value must be one of its options'],
  ['variables: {A: {text: a}}\nrspec: {script: test}', 'variables config A uses invalid data keys: text'],
  [
    'include: [{component: a, local: b.yml}]\nrspec: {script: test}',
    'include config must specify the file where to fetch the config from: one of local, project, remote, template, component',
  ],
  ['include: missing.yml\nrspec: {script: test}', 'Local file `missing.yml` does not exist!'],
  [job('script: !reference [.gone, script]'), '!reference [".gone","script"] could not be found'],
  ['a: {script: !reference [b, script]}\nb: {script: !reference [a, script]}', '!reference ["b","script"] is part of a circular chain'],
  ['a: {extends: b, script: a}\nb: {extends: a, script: a}', 'a: circular dependency detected in `extends`'],
])('%j: %s', async (yaml, error) => {
  const [first] = await errorsOf(yaml)
  expect(first).toBe(error)
})

test('every error of a file is told, those of jobs when the rest is right', async () => {
  await expectErrors('image: []\nstages: x\na: {script: {}}', 'stages config should be an array of strings', `image config ${text}`)
  await expectErrors('a: {script: {}}\nb: {script: x, tags: y}', `jobs:a:script ${script}`, 'jobs:b tags should be an array of strings')
})

test('extends merges deeply, the nearest wins, lists are replaced, and several parents rank by their order', async () => {
  const yaml = `
.tests: {script: rake test, stage: test, variables: {A: 1, B: 1}, tags: [one, two]}
.more: {variables: {B: 2}, image: ruby}
rspec:
  extends: [.tests, .more]
  script: rake rspec
  variables: {C: 3}
  tags: [three]
`
  const { jobs } = await configOf(yaml)
  const [{ options, variables, tags } = expect.fail()] = jobs
  expect([options.script, options.image?.name, tags]).toEqual([['rake rspec'], 'ruby', ['three']])
  expect(variables.map(({ key, value }) => key + value)).toEqual(['A1', 'B2', 'C3'])
})

test('a chain of eleven extends is allowed, of twelve not', async () => {
  const chain = (length: number) =>
    `${Array.from({ length }, (_, at) => `.a${at + 1}: {extends: .a${at}}`).join('\n')}\n.a0: {script: x}\njob: {extends: .a${length}, script: x}`
  expect(await errorsOf(chain(10))).toEqual([])
  expect(await errorsOf(chain(12))).toEqual(['.a12: nesting too deep in `extends`'])
})

test('references bring scripts, rules and single values, in lists of lists', async () => {
  const yaml = `
.setup: {script: [one, two], rules: [{if: $A}]}
.vars: {variables: {URL: "http://x"}}
test:
  variables: {OTHER: !reference [.vars, variables, URL]}
  rules: [!reference [.setup, rules], {when: always}]
  script: [!reference [.setup, script], [three, [!reference [.setup, script, 1]]]]
`
  const [job] = (await configOf(yaml)).jobs
  expect(job?.options.script).toEqual(['one', 'two', 'three', 'two'])
  expect(job?.rules).toHaveLength(2)
  expect(job?.variables).toEqual([{ key: 'OTHER', value: 'http://x', raw: false }])
})

test('defaults hold for jobs that set nothing of their own, as far as they inherit', async () => {
  const yaml = `
default: {image: ruby, tags: [docker], retry: 1, timeout: 1h, interruptible: true, before_script: [setup]}
variables: {A: a, B: b}
one: {script: x}
two: {script: x, image: node, inherit: {default: [tags], variables: [A]}}
three: {script: x, before_script: [], inherit: {default: false, variables: false}}
four: {trigger: group/project}
`
  const { jobs } = await configOf(yaml)
  expect(
    jobs.map(({ options, tags, retry, timeout_s, inherited_variables }) => [
      options.image?.name,
      tags,
      retry.max,
      timeout_s,
      options.before_script,
      inherited_variables.length,
    ]),
  ).toEqual([
    ['ruby', ['docker'], 1, 3600, ['setup'], 2],
    ['node', ['docker'], 0, null, [], 1],
    [undefined, [], 0, null, [], 0],
    [undefined, [], 0, null, [], 2],
  ])
})

test('includes are merged below the file, in their order, with what they include themselves', async () => {
  const files = {
    'a.yml': 'include: b.yml\na: {script: from a, image: a}\nvariables: {V: a}',
    'b.yml': 'b: {script: from b}\na: {script: from b}\nvariables: {V: b, W: b}',
    'https://example.com/c.yml': 'c: {script: from c}',
    'Bash.gitlab-ci.yml': 'd: {script: from d}',
    'ci/e.yml': 'e: {script: from e}',
  }
  const yaml = `
include:
  - a.yml
  - https://example.com/c.yml
  - template: Bash.gitlab-ci.yml
  - {project: group/other, ref: main, file: [ci/e.yml]}
a: {image: own}
`
  const config = await configOf(yaml, files)
  expect(config.jobs.map(({ name, options }) => [name, options.script[0], options.image?.name])).toEqual([
    ['b', 'from b', undefined],
    ['a', 'from a', 'own'],
    ['c', 'from c', undefined],
    ['d', 'from d', undefined],
    ['e', 'from e', undefined],
  ])
  expect(config.variables.map(({ key, value }) => key + value)).toEqual(['Va', 'Wb'])
})

test('an include comes only when its rules say so', async () => {
  const files = { 'a.yml': 'a: {script: x}' }
  const yaml = (rules: string) => `include: [{local: a.yml, rules: [${rules}]}]\nb: {script: x}`
  const names = async (rules: string) =>
    (await configOf(yaml(rules), files, { files: async () => ['Dockerfile'] })).jobs.map(({ name }) => name)
  expect(await names('{if: $A == null}')).toEqual(['a', 'b'])
  expect(await names('{if: $A}')).toEqual(['b'])
  expect(await names('{exists: [Docker*]}')).toEqual(['a', 'b'])
  expect(await names('{exists: [Docker*], when: never}')).toEqual(['b'])
})

test('includes in a circle, too many and too deep end with a message', async () => {
  const circle = { 'a.yml': 'include: b.yml', 'b.yml': 'include: a.yml' }
  expect(await errorsOf('include: a.yml\nj: {script: x}', circle)).toEqual(['Include `a.yml` was already included!'])
  const many = Object.fromEntries(Array.from({ length: 151 }, (_, at) => [`${at}.yml`, 'a: {script: x}']))
  expect(await errorsOf(`include: [${Object.keys(many).join(', ')}]`, many)).toEqual(['Maximum of 150 nested includes are allowed!'])
  const deep = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`${at}.yml`, `include: ${at + 1}.yml`]))
  expect(await errorsOf('include: 0.yml', deep)).toEqual(['Includes are nested too deep (maximum is 20)'])
  expect(await errorsOf('include: a.yml', { 'a.yml': 'a: [' })).toEqual([
    expect.stringMatching(/^Included file `a.yml` does not have valid YAML syntax!/),
  ])
})

test('artifacts, caches, services and environments are read whole', async () => {
  const yaml = job(`
artifacts: {name: n, paths: [a], exclude: [b], expire_in: 1 week, when: always, reports: {junit: r.xml, coverage_report: {coverage_format: cobertura, path: c.xml}}}
cache: [{key: {files: [lock], prefix: p}, paths: [c], fallback_keys: [f]}, {key: $CI_COMMIT_REF_SLUG, policy: pull}]
services: [redis, {name: postgres, alias: db, command: [run], entrypoint: [sh], variables: {P: 1}, pull_policy: always}]
image: {name: node, entrypoint: [""], docker: {platform: arm64, user: me}}
environment: {name: review/$CI_COMMIT_REF_SLUG, url: "https://$CI_COMMIT_REF_SLUG.example.com", auto_stop_in: 1 day, deployment_tier: testing}
coverage: '/\\d+%/'
resource_group: $CI_COMMIT_REF_SLUG
`)
  const [found = expect.fail()] = (await configOf(yaml)).jobs
  const { artifacts, cache, services, image } = found.options
  expect(artifacts).toMatchObject({
    expire_in_s: 604_800,
    reports: { junit: ['r.xml'], coverage_report: ['c.xml'] },
    coverage_format: 'cobertura',
  })
  expect(cache.map(({ key, key_files, policy }) => [key, key_files, policy])).toEqual([
    ['default', { files: ['lock'], prefix: 'p' }, 'pull-push'],
    ['$CI_COMMIT_REF_SLUG', null, 'pull'],
  ])
  expect(services.map(({ name, alias, variables }) => [name, alias, variables.length])).toEqual([
    ['redis', null, 0],
    ['postgres', 'db', 1],
  ])
  expect(image).toEqual({ name: 'node', entrypoint: [''], pull_policy: null, executor_opts: { docker: { platform: 'arm64', user: 'me' } } })
  expect(found.environment).toMatchObject({ name: 'review/$CI_COMMIT_REF_SLUG', auto_stop_in_s: 86_400, deployment_tier: 'testing' })
  expect([found.coverage, found.resource_group]).toEqual(['\\d+%', '$CI_COMMIT_REF_SLUG'])
})

test('a job is retried after the failures that runners of today report', async () => {
  const [found = expect.fail()] = (await configOf(job('retry: {max: 2, when: [runner_interrupted, image_pull_failure]}'))).jobs
  expect(found.retry).toEqual({ max: 2, when: ['runner_interrupted', 'image_pull_failure'], exit_codes: [] })
})

test('keywords without effect here are accepted with a warning', async () => {
  expect(await errorsOf(job('secrets: {B: {vault: x}}'))).toEqual([])
})

test('files that a wildcard matches are read up to a limit each and a limit together, and no further', async () => {
  const asked: number[] = []
  const text = `x: {script: "${'x'.repeat(1_000_000)}"}`
  const load: IncludeLoader = async (entry, _, max_chars) => {
    const file = 'file' in entry ? entry.file : ''
    if (file.includes('*')) return { among: Array.from({ length: 140 }, (_, at) => `${at}.yml`), origin: null }
    asked.push(max_chars)
    return { file: { location: file, text, origin: null } }
  }

  const parsed = await parseConfig('include: "*.yml"\na: {script: x}', load, contextOf())

  expect('errors' in parsed && parsed.errors).toEqual(['The parsed YAML is too big'])
  expect(asked).toEqual([1_048_576, 1_048_576, 1_048_576, 1_048_576, 4_194_304 - 4 * text.length])
})

test('aliases of long texts, and errors of jobs with long names, don’t grow without end', async () => {
  const long = 'x'.repeat(10_000)
  const aliases = `.a: &a ${long}\nb: {script: [${Array.from({ length: 5_000 }, () => '*a')}]}`
  expect(await errorsOf(aliases)).toEqual(['The parsed YAML is too big'])
  const errors = await errorsOf(`${long}: {${Array.from({ length: 300 }, (_, at) => `"": ${at}, image: 1`)}}`)
  expect(errors.every((error) => error.length <= 2_000)).toBe(true)
})
