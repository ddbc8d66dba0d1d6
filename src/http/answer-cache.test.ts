/** Answers that are kept: whoever reads after something was written reads what was written. */
import { expect, test } from 'vitest'
import { testForge } from '../../test/support/forge.ts'

test('a list that was read before shows at once what was written since, to each what they may see', async () => {
  const forge = await testForge()
  const [owner, stranger] = [await forge.user(), await forge.user()]
  const project = await forge.project({ owner, visibility: 'private' })
  const seenBy = async (user: typeof owner) => {
    const { body, headers } = await forge.as(user).get(`/projects?search=${project.path}`)
    return [body.map(({ id, description }: { id: number; description: string }) => [id, description]), headers['x-total']]
  }

  const before = [await seenBy(owner), await seenBy(stranger), await seenBy(owner)]
  await forge.as(owner).put(`/projects/${project.id}`, { visibility: 'public', description: 'Open' })
  const after = [await seenBy(owner), await seenBy(stranger)]

  expect(before).toEqual([
    [[[project.id, null]], '1'],
    [[], '0'],
    [[[project.id, null]], '1'],
  ])
  expect(after).toEqual([
    [[[project.id, 'Open']], '1'],
    [[[project.id, 'Open']], '1'],
  ])
})

test('the second of two same answers has the headers of the first, and HEAD has no body', async () => {
  const forge = await testForge()
  const user = await forge.user()
  await forge.as(user).get('/user')
  const first = await forge.as(user).get('/user')
  const second = await forge.as(user).get('/user')
  const head = await forge.as(user).head('/user')
  const { date: _, ...headers } = first.headers
  const { date: __, ...secondHeaders } = second.headers

  // Noted with the first request of a day, which was answered by the row from before.
  expect(first.body.last_activity_on).toBe(new Date().toISOString().slice(0, 10))
  expect([second.status, second.body, secondHeaders]).toEqual([200, first.body, headers])
  expect([head.status, head.text]).toEqual([200, ''])
})
