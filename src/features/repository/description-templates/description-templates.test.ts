/** Templates of descriptions through the API. */
import { expect, test } from 'vitest'
import { testForge } from '../../../../test/support/forge.ts'

const files = {
  'README.md': '# Hello\n',
  '.gitlab/merge_request_templates/Default.md': 'What does it change?\n',
  '.gitlab/merge_request_templates/Bug fix.md': 'Which bug?\n',
  '.gitlab/merge_request_templates/notes.txt': 'No template',
  '.gitlab/merge_request_templates/deeper/Inner.md': 'No template either',
  '.gitlab/issue_templates/Bug.md': 'Steps\n',
  '.gitlab/issue_templates/Large.md': 'x'.repeat(65 * 1024),
}

test('the templates of merge requests and of issues are listed by name, and read one by one', async () => {
  const forge = await testForge()
  const reporter = await forge.user()
  const project = await forge.project({ reporter, files })
  const client = forge.as(reporter)
  const at = `/projects/${project.id}/templates`
  expect((await client.get(`${at}/merge_requests`)).body).toEqual([
    { key: 'Bug fix', name: 'Bug fix' },
    { key: 'Default', name: 'Default' },
  ])
  expect((await client.get(`${at}/merge_requests/Bug%20fix`)).body).toEqual({ name: 'Bug fix', content: 'Which bug?\n' })
  expect((await client.get(`${at}/issues/Bug`)).body).toEqual({ name: 'Bug', content: 'Steps\n' })
  for (const missing of [
    'issues/Large',
    'issues/Default',
    'merge_requests/notes',
    'merge_requests/deeper%2FInner',
    'issues/..%2F..%2FREADME',
  ])
    expect([missing, (await client.get(`${at}/${missing}`)).status]).toEqual([missing, 404])
  expect((await client.get(`${at}/wikis`)).status).toBe(404)
})

test('what a project may start with is listed for it, too, and licenses have its name', async () => {
  const forge = await testForge()
  const project = await forge.project({ name: 'Pump', visibility: 'public', files: null })
  const at = `/projects/${project.id}/templates`
  for (const [kind, name] of [
    ['gitignores', 'Node'],
    ['dockerfiles', 'Golang'],
    ['gitlab_ci_ymls', 'Bash'],
  ]) {
    const listed = (await forge.anonymous.get(`${at}/${kind}?per_page=100`)).body
    expect(listed).toContainEqual({ key: name, name })
    expect((await forge.anonymous.get(`${at}/${kind}/${name}`)).body).toEqual(
      (await forge.anonymous.get(`/templates/${kind}/${name}`)).body,
    )
    expect((await forge.anonymous.get(`${at}/${kind}/__proto__`)).status).toBe(404)
  }
  expect((await forge.anonymous.get(`${at}/licenses`)).body).toContainEqual({ key: 'mit', name: 'MIT License' })
  const { body } = await forge.as(forge.root).get(`${at}/licenses/mit`)
  expect(body.content).toContain(`${new Date().getFullYear()} ${forge.root.name}`)
  expect((await forge.anonymous.get(`${at}/licenses/none`)).status).toBe(404)
})

test('an empty repository and one without the folder have none', async () => {
  const forge = await testForge()
  for (const project of [await forge.project({ files: null }), await forge.project({ files: { '.gitlab': 'a file' } })])
    expect((await forge.as(forge.root).get(`/projects/${project.id}/templates/issues`)).body).toEqual([])
})

test('who may not read the code, or has no use for them, sees none', async () => {
  const forge = await testForge()
  const [guest, stranger] = [await forge.user(), await forge.user()]
  const project = await forge.project({ guest, files })
  const at = `/projects/${project.id}/templates`
  expect((await forge.as(stranger).get(`${at}/issues`)).status).toBe(404)
  expect((await forge.as(guest).get(`${at}/issues`)).status).toBe(403)
  await forge.as(forge.root).put(`/projects/${project.id}`, { issues_access_level: 'disabled', merge_requests_access_level: 'disabled' })
  expect((await forge.as(forge.root).get(`${at}/issues`)).status).toBe(404)
  expect((await forge.as(forge.root).get(`${at}/merge_requests/Default`)).status).toBe(404)
})
