import { expect, test } from 'vitest'
import { testForge } from '../../../../test/support/forge.ts'

test('the CI settings of a project are changed and read', async () => {
  const forge = await testForge()
  const maintainer = await forge.user()
  const project = await forge.project({ maintainer })
  const at = `/projects/${project.id}`
  const client = forge.as(maintainer)
  const settings = {
    build_timeout: 7_200,
    build_git_strategy: 'clone',
    build_coverage_regex: 'Total.*?(\\d+)%',
    auto_cancel_pending_pipelines: 'disabled',
    ci_default_git_depth: 10,
    group_runners_enabled: false,
    keep_latest_artifact: false,
    shared_runners_enabled: false,
    public_jobs: false,
    ci_config_path: 'ci/main.yml',
  }

  const before = await client.get(at)
  const changed = await client.put(at, settings)
  const row = await forge.app.db.selectFrom('projects').select('build_timeout_s').where('id', '=', project.id).executeTakeFirstOrThrow()

  expect(before.body).toMatchObject({
    build_timeout: 3_600,
    build_git_strategy: 'fetch',
    build_coverage_regex: null,
    auto_cancel_pending_pipelines: 'enabled',
    group_runners_enabled: true,
    keep_latest_artifact: true,
  })
  expect([changed.status, changed.body]).toMatchObject([200, settings])
  expect((await client.get(at)).body).toMatchObject(settings)
  expect(row.build_timeout_s).toBe(7_200)
  expect((await client.put(at, { build_coverage_regex: null, ci_default_git_depth: null })).body).toMatchObject({
    build_coverage_regex: null,
    ci_default_git_depth: null,
  })
})

test.each([
  [{ build_timeout: 60 }, { build_timeout: ['needs to be between 10 minutes and 1 month'] }],
  [{ build_timeout: 3_000_000 }, { build_timeout: ['needs to be between 10 minutes and 1 month'] }],
  [{ ci_default_git_depth: 1_001 }, { ci_default_git_depth: ['must be less than or equal to 1000'] }],
  [{ ci_default_git_depth: -1 }, { ci_default_git_depth: ['must be greater than or equal to 0'] }],
  [{ build_coverage_regex: '(' }, { build_coverage_regex: ['is not a valid regular expression'] }],
  [{ build_coverage_regex: '(?=x)' }, { build_coverage_regex: ['is not a valid regular expression'] }],
])('the setting %j is refused, and nothing changes', async (sent, message) => {
  const forge = await testForge()
  const project = await forge.project()
  const { status, body } = await forge.as(forge.root).put(`/projects/${project.id}`, { ...sent, description: 'Changed' })

  expect([status, body]).toEqual([400, { message }])
  expect((await forge.as(forge.root).get(`/projects/${project.id}`)).body.description).not.toBe('Changed')
})
