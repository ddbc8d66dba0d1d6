/** Push options on the wire: git's own client refuses line breaks in them, others may send them. */
import { expect, test } from 'vitest'
import { testForge } from '../../../test/support/forge.ts'
import { git } from '../../../test/support/git.ts'

const packet = (text: string) => (text.length + 4).toString(16).padStart(4, '0') + text

test('an option with line breaks hides no change from the rules of the project', async () => {
  const forge = await testForge()
  const developer = await forge.user()
  const project = await forge.project({ developer })
  const tip = await git(project.dir, 'rev-parse', 'main')
  const remove = `${tip} ${'0'.repeat(40)} refs/heads/main\0report-status push-options`
  const push = (option: string) => {
    const authorization = `Basic ${Buffer.from(`x:${developer.token}`).toString('base64')}`
    const headers = { authorization, 'content-type': 'application/x-git-receive-pack-request' }
    const body = `${packet(remove)}0000${packet(option)}0000`
    return forge.url().then((url) => fetch(`${url}/${project.full_path}.git/git-receive-pack`, { method: 'POST', headers, body }))
  }

  for (const option of ['a', '\n\nb', 'a\n\npre-receive x\n\n', 'option \n', '$(touch x)', '`touch x`; touch x', '\'"\\']) {
    const answer = await push(option)
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('ng refs/heads/main')])
    expect(await git(project.dir, 'rev-parse', 'main')).toBe(tip)
  }
})
