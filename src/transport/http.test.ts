/** Refusals at the addresses of repositories, and beside them. */
import { expect, test } from 'vitest'
import { testForge } from '../../test/support/forge.ts'

test('what the server itself refuses is told in the words of whoever uses such an address', async () => {
  const { anonymous } = await testForge()
  const refused = async (path: string) => {
    const { status, headers, text } = await anonymous.request('PUT', path, 'x', { headers: { 'content-type': ';' } })
    return [status, headers['content-type'], text]
  }
  expect(await refused('//no/address/at/all')).toEqual([
    415,
    'application/json',
    JSON.stringify({ error: 'The provided content-type is not supported.' }),
  ])
  expect(await refused('//some/project.git/git-upload-pack')).toEqual([
    415,
    'text/plain; charset=utf-8',
    'The request could not be understood.\n',
  ])
  expect(await refused('//some/project.git/info/lfs/objects/batch')).toEqual([
    415,
    'application/vnd.git-lfs+json',
    expect.stringContaining('"The request could not be understood."'),
  ])
})
