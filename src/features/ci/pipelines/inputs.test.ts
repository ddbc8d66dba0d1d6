/** Inputs of a project's own file, and what is sent along with a push. */
import { expect, test } from 'vitest'
import { builtProject, statusesOf } from '../../../../test/support/fixtures/built-pipelines.ts'
import { git, tryGit } from '../../../../test/support/git.ts'
import { inFullRun } from '../../../../test/support/run/tiers.ts'

const asking = (body: string) => `spec:
  inputs:
    name: {default: unit}
    count: {type: number, default: 1}
    steps: {type: array, default: [x]}
---
${body}`
const file = asking('"$[[ inputs.name ]]": {script: "$[[ inputs.steps ]]", parallel: "$[[ inputs.count ]]"}')

test('a pipeline is created with inputs, by members and by triggers; what the file does not take is refused', async () => {
  const { forge, as, at } = await builtProject(file)
  const { db } = forge.app
  const created = await as.post(`${at}/pipeline`, { ref: 'topic', inputs: { name: 'api', count: 2, steps: ['make', 'test'] } })
  const { body: trigger } = await forge.as(forge.root).post(`${at}/triggers`, { description: 'Nightly' })
  const triggered = await forge.anonymous.post(`${at}/trigger/pipeline`, { token: trigger.token, ref: 'topic', inputs: { name: 'night' } })

  expect([created.status, await statusesOf(db, created.body.id)]).toEqual([201, ['api 1/2 pending', 'api 2/2 pending']])
  expect([triggered.status, await statusesOf(db, triggered.body.id)]).toEqual([201, ['night 1/1 pending']])
  for (const [inputs, message] of [
    [{ other: 'x' }, '`the file`: unknown input arguments: other'],
    [{ count: 'many' }, '`the file`: `count` input: provided value is not a number'],
    [{ name: { a: 1 } }, 'Input name should be a string, a number, a boolean or an array'],
    [{ name: null }, 'Input name should be a string, a number, a boolean or an array'],
    [Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`i${index}`, 1])), 'Maximum number of inputs (100) exceeded'],
  ] as const) {
    const refused = await as.post(`${at}/pipeline`, { ref: 'topic', inputs })
    expect([refused.status, refused.body]).toEqual([400, { message: { base: [message] } }])
  }
  expect((await as.post(`${at}/pipeline`, { ref: 'topic', inputs: 'x' })).status).toBe(400)
})

test(
  'a bridge gives inputs to the file of another project, and to the files of its child',
  inFullRun(
    'Half a second of processor. A pipeline is created with inputs by members and by triggers above; `downstream.test.ts` has bridges.',
  ),
  async () => {
    const other = await builtProject(file)
    const bridges = `elsewhere: {trigger: {project: ${other.project.full_path}, inputs: {name: "from-$CI_COMMIT_BRANCH", count: 2}}}
below: {trigger: {include: [{local: child.yml, inputs: {steps: [y]}}], inputs: {name: child}}}`
    const { forge, as, at, maintainer } = await builtProject(bridges, { 'child.yml': file })
    await other.as.post(`${other.at}/members`, { user_id: maintainer.id, access_level: 40 })
    const { body: pipeline } = await as.post(`${at}/pipeline`, { ref: 'topic' })
    await forge.drain()

    const started = (await as.get(`${at}/pipelines/${pipeline.id}/bridges`)).body
    const jobs = await Promise.all(
      started.map((bridge: { downstream_pipeline: { id: number } }) => statusesOf(forge.app.db, bridge.downstream_pipeline.id)),
    )
    expect(jobs).toEqual([['from-topic 1/2 pending', 'from-topic 2/2 pending'], ['child 1/1 pending']])
  },
)

test(
  'a push has its pipeline skipped or left out, and gives it variables and inputs',
  inFullRun('1 s of processor. `hooks.test.ts` reads the options of a push; the API gives a pipeline its inputs above.'),
  async () => {
    const text = asking(
      '"$[[ inputs.name ]]": {script: x, parallel: "$[[ inputs.count ]]"}\nextra: {script: x, rules: [{if: $WANTED == "a=b"}]}',
    )
    const { forge, as, at, project, maintainer } = await builtProject(text)
    const folder = await forge.folder()
    const url = `${(await forge.url()).replace('//', `//x:${maintainer.token}@`)}/${project.full_path}.git`
    await git(folder, 'clone', '-q', url, 'work')
    const push = async (branch: string, ...options: string[]) => {
      await git(`${folder}/work`, 'push', '-q', ...options.flatMap((option) => ['-o', option]), 'origin', `HEAD:refs/heads/${branch}`)
      const sealed = await forge.app.db.selectFrom('jobs').select('payload').where('name', '=', 'pipelines.build_push').execute()
      await forge.drain()
      const { body } = await as.get(`${at}/pipelines?ref=${branch}`)
      return { pipelines: body as { id: number; status: string }[], sealed: JSON.stringify(sealed) }
    }

    expect((await push('skipped', 'ci.skip')).pipelines).toMatchObject([{ status: 'skipped' }])
    expect((await push('none', 'ci.no_pipeline')).pipelines).toEqual([])
    const given = await push('given', 'ci.variable=WANTED=a=b', 'ci.input=name=api', 'ci.input=count=2', 'merge_request.create')
    expect(await statusesOf(forge.app.db, given.pipelines[0]?.id ?? 0)).toEqual(['api 1/2 pending', 'api 2/2 pending', 'extra pending'])
    expect(given.sealed).not.toContain('WANTED')
    const wrong = await push('wrong', 'ci.input=other=x')
    expect((await as.get(`${at}/pipelines/${wrong.pipelines[0]?.id}`)).body).toMatchObject({
      status: 'failed',
      yaml_errors: '`the file`: unknown input arguments: other',
    })
    const long = ['push', '-o', `ci.variable=A=${'x'.repeat(16_384)}`, 'origin', 'HEAD:refs/heads/long']
    const { code, stderr } = await tryGit(`${folder}/work`, ...long)
    expect([code, stderr]).toEqual([1, expect.stringContaining('The options of a push may have 16384 characters in all.')])
  },
)
