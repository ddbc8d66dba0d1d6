import { expect, test } from 'vitest'
import { jobsOf, namesIn, plannedOf, planOf, variable } from '../../../test/support/fixtures/ci.ts'
import { skipsPipeline } from './planning.ts'

const branch = { predefined: [variable('CI_COMMIT_BRANCH', 'main'), variable('CI_COMMIT_REF_SLUG', 'main')] }

test('jobs come by stage, in the order of the file, with what they are in the reference', async () => {
  const plan = await planOf(
    'deploy: {stage: deploy, script: d}\nrspec: {script: [a, b], before_script: [c]}\nbuild: {stage: build, script: b}\nlast: {stage: .post, script: x}',
  )
  expect(plan.jobs.map(({ name, stage }) => [name, stage])).toEqual([
    ['build', 'build'],
    ['rspec', 'test'],
    ['deploy', 'deploy'],
    ['last', '.post'],
  ])
  expect(plan.stages).toEqual([
    { name: 'build', position: 1 },
    { name: 'test', position: 2 },
    { name: 'deploy', position: 3 },
    { name: '.post', position: 4 },
  ])
  expect(plan.jobs[1]).toMatchObject({
    when: 'on_success',
    allow_failure: false,
    needs: null,
    tags: [],
    options: { script: ['a', 'b'], before_script: ['c'] },
  })
})

test.each([
  ['only: [main]', {}, true],
  ['only: [other]', {}, false],
  ['only: [branches]', { ref_kind: 'tag', ref: 'v1' }, false],
  ['only: [tags]', { ref_kind: 'tag', ref: 'v1' }, true],
  ['only: [/^v/]', { ref_kind: 'tag', ref: 'v1' }, true],
  ['only: [/^MA/i]', {}, true],
  ['only: [schedules]', { source: 'schedule' }, true],
  ['only: [pushes]', { source: 'push' }, true],
  ['only: [triggers]', { source: 'trigger' }, true],
  ['only: [pipelines]', { source: 'pipeline' }, true],
  ['only: [web]', { source: 'api' }, false],
  ['only: [main@group/project]', {}, true],
  ['only: [main@other/project]', {}, false],
  ['only: [merge_requests]', { ref_kind: 'merge_request', source: 'merge_request_event' }, true],
  ['only: [main]', { ref_kind: 'merge_request', source: 'merge_request_event' }, false],
  ['tags: []', { ref_kind: 'merge_request', source: 'merge_request_event' }, false],
  ['except: [main]', {}, false],
  ['except: [tags]', {}, true],
  ['except: {variables: [$CI_COMMIT_BRANCH == "main"]}', branch, false],
  ['only: {refs: [main], variables: [$A]}', {}, false],
  ['only: {refs: [main], variables: [$A, $CI_COMMIT_BRANCH]}', branch, true],
  ['only: {kubernetes: active}', {}, false],
  ['only: {changes: [src/**/*]}', { changedPaths: async () => ['src/a/b.ts'] }, true],
  ['only: {changes: [src/**/*]}', { changedPaths: async () => ['docs/a.md'] }, false],
  ['only: {changes: [src/**/*]}', {}, true],
] as const)('a job with %s for %j is part: %s', async (keys, given, isPart) => {
  expect(await namesIn(`a: {script: x, ${keys}}`, given)).toEqual(isPart ? ['a'] : [])
})

test.each([
  ['[{if: $CI_COMMIT_BRANCH == "main"}]', ['on_success', false]],
  ['[{if: $CI_COMMIT_BRANCH == "other"}]', null],
  ['[{if: $CI_COMMIT_BRANCH, when: manual}]', ['manual', false]],
  ['[{if: $CI_COMMIT_BRANCH, when: manual, allow_failure: true}]', ['manual', true]],
  ['[{if: $CI_COMMIT_BRANCH, when: never}, {when: always}]', null],
  ['[{if: $NO}, {when: always, allow_failure: {exit_codes: 3}}]', ['always', false]],
  ['[{changes: ["*.md"]}]', ['on_success', false]],
  ['[{changes: ["*.js"]}]', null],
  ['[{changes: {paths: ["*.js"], compare_to: base}}]', ['on_success', false]],
  ['[{exists: ["**/Docker*"]}]', ['on_success', false]],
  ['[{exists: [$FOLDER/Dockerfile]}]', ['on_success', false]],
  ['[{exists: [nowhere]}]', null],
  ['[{if: $OWN == "1"}]', ['on_success', false]],
  ['[{if: $PROJECT == "over"}]', ['on_success', false]],
  ['[{if: $CI_JOB_NAME == "a"}]', ['on_success', false]],
  ['[{when: delayed, start_in: 1h}]', ['delayed', false]],
  ['[]', null],
])('rules %s: %j', async (rules, expected) => {
  const given = {
    ...branch,
    variablesFor: () => [variable('PROJECT', 'over')],
    changedPaths: async (compareTo: string | null) => (compareTo === 'base' ? ['a.js'] : ['README.md']),
    files: async () => ['a/Dockerfile'],
  }
  const planned = await plannedOf(
    `other: {script: x}\na: {script: x, variables: {OWN: 1, FOLDER: a, PROJECT: file}, rules: ${rules}}`,
    given,
  )
  const job = planned.outcome === 'planned' ? planned.plan.jobs.find(({ name }) => name === 'a') : undefined
  expect(job ? [job.when, job.allow_failure] : null).toEqual(expected)
})

test('changes and files are looked up only when a rule asks for them, and once', async () => {
  let asked = 0
  const paths = async () => {
    asked++
    return ['a']
  }
  const given = { changedPaths: paths, files: paths }
  await planOf('a: {script: x}', given)
  expect(asked).toBe(0)
  await planOf('a: {script: x, rules: [{changes: [a], exists: [a]}]}\nb: {script: x, rules: [{changes: [a]}, {exists: [b]}]}', given)
  expect(asked).toBe(2)
})

test('workflow rules decide about the pipeline, name it and set variables', async () => {
  const yaml = `
workflow:
  name: $TITLE for $CI_COMMIT_BRANCH
  auto_cancel: {on_new_commit: interruptible}
  rules:
    - if: $CI_PIPELINE_SOURCE == "schedule"
      when: never
    - if: $CI_COMMIT_BRANCH
      variables: {TITLE: Branch, DEPLOY: yes please}
      auto_cancel: {on_job_failure: all}
variables: {TITLE: Default}
a: {script: x}
b: {script: x, variables: {TITLE: own}, rules: [{if: $DEPLOY}]}
`
  const plan = await planOf(yaml, branch)
  expect([plan.name, plan.auto_cancel]).toEqual(['Branch for main', { on_new_commit: 'interruptible', on_job_failure: 'all' }])
  expect(plan.jobs.map(({ name, variables }) => [name, variables.find(({ key }) => key === 'TITLE')?.value])).toEqual([
    ['a', 'Branch'],
    ['b', 'own'],
  ])
  const scheduled = { predefined: [variable('CI_PIPELINE_SOURCE', 'schedule')] }
  expect(await plannedOf(yaml, scheduled)).toEqual({ outcome: 'filtered', message: 'Pipeline filtered out by workflow rules.' })
})

test('without jobs, or with those of .pre and .post alone, there is no pipeline', async () => {
  const empty = { outcome: 'empty', message: 'No stages / jobs for this pipeline.' }
  expect(await plannedOf('a: {script: x, only: [other]}')).toEqual(empty)
  expect(await plannedOf('a: {script: x, stage: .pre}\nb: {script: x, stage: .post}')).toEqual(empty)
})

test('needs make a graph over parallel jobs, and carry artifacts or not', async () => {
  const yaml = `
build: {stage: build, script: x, parallel: {matrix: [{OS: [linux, mac], ARCH: [x, y]}]}}
lint: {stage: build, script: x, parallel: 2}
test: {script: x, needs: [build, {job: lint 1/2, artifacts: false}]}
mac: {script: x, needs: [{job: build, parallel: {matrix: [{ARCH: y, OS: mac}]}}]}
gone: {script: x, only: [other]}
maybe: {script: x, needs: [{job: gone, optional: true}]}
now: {stage: deploy, script: x, needs: []}
all: {stage: deploy, script: x, dependencies: [test]}
`
  const jobs = await jobsOf(yaml)
  expect(Object.keys(jobs)).toEqual(expect.arrayContaining(['build: [linux, x]', 'build: [mac, y]', 'lint 1/2', 'lint 2/2']))
  expect(jobs.test?.needs?.map(({ name, artifacts }) => [name, artifacts])).toEqual([
    ['build: [linux, x]', true],
    ['build: [linux, y]', true],
    ['build: [mac, x]', true],
    ['build: [mac, y]', true],
    ['lint 1/2', false],
  ])
  expect(jobs.mac?.needs?.map(({ name }) => name)).toEqual(['build: [mac, y]'])
  expect([jobs.maybe?.needs, jobs.now?.needs, jobs.all?.needs, jobs.all?.dependencies]).toEqual([[], [], null, ['test']])
  expect([jobs['lint 2/2']?.parallel, jobs['lint 2/2']?.base_name]).toEqual([{ index: 2, total: 2 }, 'lint'])
  expect(jobs['build: [mac, x]']?.variables).toEqual([
    { key: 'OS', value: 'mac', raw: false },
    { key: 'ARCH', value: 'x', raw: false },
  ])
})

test('a job that needs one which is not part makes no pipeline, and both are named', async () => {
  const planned = await plannedOf('build: {stage: build, script: x, only: [other]}\ntest: {script: x, needs: [build]}')
  expect(planned).toEqual({
    outcome: 'invalid',
    errors: [expect.stringMatching(/^'test' job needs 'build' job, but 'build' does not exist in the pipeline/)],
  })
})

test('names of environments, resource groups, tags and triggers have their variables in them', async () => {
  const yaml = `
variables: {WHERE: eu}
review:
  script: x
  environment: {name: review/$CI_COMMIT_REF_SLUG, url: "https://$CI_ENVIRONMENT_SLUG.example.com", on_stop: stop}
  resource_group: $WHERE-$CI_COMMIT_REF_SLUG
  tags: [$WHERE]
stop: {script: y, environment: {name: review/$CI_COMMIT_REF_SLUG, action: stop}, when: manual}
down: {trigger: {project: group/$WHERE, branch: $CI_COMMIT_REF_SLUG, strategy: depend}}
child: {trigger: {include: child.yml, forward: {pipeline_variables: true}}}
`
  const jobs = await jobsOf(yaml, branch)
  expect(jobs.review?.environment).toMatchObject({
    name: 'review/main',
    name_template: 'review/$CI_COMMIT_REF_SLUG',
    url: 'https://$CI_ENVIRONMENT_SLUG.example.com',
    on_stop: 'stop',
  })
  expect([jobs.review?.resource_group, jobs.review?.tags]).toEqual(['eu-main', ['eu']])
  expect([jobs.stop?.when, jobs.stop?.allow_failure]).toEqual(['manual', true])
  expect(jobs.down?.trigger).toMatchObject({ project: 'group/eu', branch: 'main', strategy: 'depend', include: null })
  expect(jobs.child?.trigger).toMatchObject({
    project: null,
    include: [{ kind: 'local', file: 'child.yml' }],
    forward: { pipeline_variables: true },
  })
})

test('variables of an environment are seen by the rules of its jobs alone', async () => {
  const variablesFor = (environment: string | null) => (environment === 'production' ? [variable('KEY', 'secret')] : [])
  const yaml = 'a: {script: x, environment: production, rules: [{if: $KEY}]}\nb: {script: x, rules: [{if: $KEY}]}'
  expect(await namesIn(yaml, { variablesFor })).toEqual(['a'])
})

test('the job pages publishes its folder', async () => {
  const jobs = await jobsOf('pages: {script: x, artifacts: {paths: [public]}}\nother: {script: x}')
  expect([jobs.pages?.options.pages, jobs.other?.options.pages]).toEqual([{ publish: 'public' }, null])
})

test.each(['[skip ci]', 'Text [ci skip] text', '[SKIP-CI]', '[ci_skip]'])('%j asks for no pipeline', (message) => {
  expect(skipsPipeline(message)).toBe(true)
})

test('skip ci without brackets asks for nothing', () => {
  expect(skipsPipeline('skip ci')).toBe(false)
})
