/** Id tokens as the services see them that they are for: found by discovery, checked by an unmodified library, with the claims of the reference. */
import { createRemoteJWKSet, jwtVerify } from 'jose'
import { beforeAll, expect, test } from 'vitest'
import { runnerOf, type TestRunner } from '../../../../test/support/fixtures/runners.ts'
import { type Forge, openForge, type TestUser } from '../../../../test/support/forge.ts'

const file = `
default: {id_tokens: {VAULT: {aud: "https://vault.example"}}}
variables: {WHERE: staging}
deploy:
  script: [x]
  timeout: 10 minutes
  environment: {name: $WHERE, deployment_tier: staging}
  id_tokens: {CLOUD: {aud: "https://$WHERE.cloud.example"}, BOTH: {aud: [one, two]}}
check: {script: [x]}
plain: {script: [x], inherit: {default: false}}
`

let forge: Forge
let url: string
let root: TestUser

beforeAll(async () => {
  forge = await openForge()
  url = await forge.url()
  forge.app.config.url = url
  root = forge.root
})

type Given = { key: string; value: string; masked: boolean; public: boolean }

async function jobsOf(count: number, runner: TestRunner) {
  const jobs = []
  for (let tries = 0; jobs.length < count && tries < 100; tries += 1) {
    const answer = await forge.anonymous.post('/jobs/request', { token: runner.token })
    if (answer.status === 201) jobs.push(answer.body)
  }
  return new Map(jobs.map((job) => [job.job_info.name as string, job]))
}

const variable = (job: { variables: Given[] }, key: string) => job.variables.find((one) => one.key === key)

/** As a service does that trusts this forge: it knows its address, and nothing else. */
async function verify(token: string, audience: string) {
  const configuration = (await (await fetch(`${url}/.well-known/openid-configuration`)).json()) as { issuer: string; jwks_uri: string }
  const keys = createRemoteJWKSet(new URL(configuration.jwks_uri))
  return jwtVerify(token, keys, { issuer: configuration.issuer, audience, requiredClaims: ['exp', 'nbf', 'jti'] })
}

test('a job gets a token for each audience that it names, and those of the defaults; services verify it by discovery', async () => {
  const project = await forge.project({ files: { '.gitlab-ci.yml': file } })
  const runner = await runnerOf(forge, project)
  const { body: pipeline } = await forge.as(root).post(`/projects/${project.id}/pipeline`, { ref: 'main' })
  const jobs = await jobsOf(3, runner)
  const [deploy, check, plain] = ['deploy', 'check', 'plain'].map((name) => jobs.get(name))

  expect([variable(deploy, 'VAULT'), variable(plain, 'VAULT')]).toEqual([undefined, undefined])
  expect(variable(deploy, 'CLOUD')).toMatchObject({ public: false, masked: true })
  const { payload } = await verify(variable(deploy, 'CLOUD')?.value ?? '', 'https://staging.cloud.example')
  expect(payload).toMatchObject({
    sub: `project_path:${project.full_path}:ref_type:branch:ref:main`,
    aud: 'https://staging.cloud.example',
    ...{ namespace_id: expect.stringMatching(/^\d+$/), namespace_path: project.full_path.replace(/\/[^/]+$/, '') },
    ...{ project_id: String(project.id), project_path: project.full_path, project_visibility: 'private' },
    ...{ user_id: String(root.id), user_login: root.username, user_email: root.email, user_access_level: 'owner' },
    ...{ pipeline_id: String(pipeline.id), pipeline_source: 'api', job_id: String(deploy.id), sha: pipeline.sha },
    ...{ ref: 'main', ref_type: 'branch', ref_path: 'refs/heads/main', ref_protected: 'true' },
    ...{ environment: 'staging', deployment_tier: 'staging', environment_action: 'start', environment_protected: 'false' },
    ...{ runner_id: runner.id, runner_environment: 'self-hosted', ci_config_sha: pipeline.sha },
    ci_config_ref_uri: `${new URL(url).host}/${project.full_path}//.gitlab-ci.yml@refs/heads/main`,
  })
  expect(Number(payload.exp) - Number(payload.iat)).toBe(600)
  const both = await verify(variable(deploy, 'BOTH')?.value ?? '', 'two')
  expect(both.payload.aud).toEqual(['one', 'two'])
  const vault = await verify(variable(check, 'VAULT')?.value ?? '', 'https://vault.example')
  expect(vault.payload).not.toHaveProperty('environment')
  await expect(verify(variable(check, 'VAULT')?.value ?? '', 'https://other.example')).rejects.toThrow(/aud/)
})

test('a trace hides id tokens, and the database has them sealed', async () => {
  const project = await forge.project({ files: { '.gitlab-ci.yml': 'a: {script: x, id_tokens: {T: {aud: x}}}' } })
  const runner = await runnerOf(forge, project)
  await forge.as(root).post(`/projects/${project.id}/pipeline`, { ref: 'main' })
  const job = (await jobsOf(1, runner)).get('a')
  const token = variable(job, 'T')?.value ?? ''

  const ended = await forge.anonymous.request('PUT', `/jobs/${job.id}`, { token: job.token, state: 'success', trace: `got ${token}.\n` })

  expect(ended.status).toBe(200)
  const { text } = await forge.as(root).get(`/projects/${project.id}/jobs/${job.id}/trace`)
  expect(text).toBe(`got ${'x'.repeat(token.length)}.\n`)
  const row = await forge.app.db.selectFrom('ci_jobs').select('id_tokens').where('id', '=', job.id).executeTakeFirstOrThrow()
  expect(row.id_tokens).not.toContain(token)
  expect(forge.app.secrets.unseal(row.id_tokens as string, 'ci_jobs.id_tokens')).toContain(token)
})
