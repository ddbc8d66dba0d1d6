/** Help, and the small files that browsers and search engines ask for. */

import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { browserOf } from '../../../../test/support/browser.ts'
import { openForge, testForge } from '../../../../test/support/forge.ts'
import { inFullRun } from '../../../../test/support/run/tiers.ts'
import { hostKeys } from '../../../transport/ssh/host-keys.ts'

test('help shows the commands, the API and the limits of this installation', async () => {
  const forge = await testForge()
  const me = browserOf(forge.server)
  const { text } = await me.get('/help')
  expect(text).toContain('git push http://gitstead.test/username/my-project.git main')
  expect(text).toContain('The number of requests is not limited here.')
  expect(text).not.toContain('SHA256:')
  await forge.as(forge.root).put('/application/settings', {
    throttle_unauthenticated_enabled: true,
    throttle_unauthenticated_requests_per_period: 1_200,
    throttle_unauthenticated_period_in_seconds: 60,
  })
  expect((await me.get('/help')).text).toContain('Not signed in, by address: 1,200 requests in 60 seconds.')
})

test(
  'help shows the fingerprints of the host keys where the SSH server is ours',
  inFullRun('1 s of processor. `ssh-keys.test.ts` has fingerprints; the keys are made in `host-keys.test.ts`.'),
  async () => {
    const forge = await openForge({ config: { ssh_port: 2222, ssh_address: { host: 'gitstead.test', port: 2222 } } })
    const folder = join(forge.app.config.home, 'ssh')
    await hostKeys(folder)
    const [, key = ''] = (await readFile(join(folder, 'ssh_host_ed25519_key.pub'), 'utf8')).split(' ')
    const sha256 = createHash('sha256').update(Buffer.from(key, 'base64')).digest('base64').replace(/=+$/, '')
    const { text } = await browserOf(forge.server).get('/help')
    expect(text).toContain(`SHA256:${sha256}`)
    expect(text).toContain('git clone ssh://git@gitstead.test:2222/group/project.git')
  },
)

test('the help on Markdown shows each example as it is typed and as it looks', async () => {
  const { text } = await browserOf((await testForge()).server).get('/help/user/markdown')
  expect(text).toContain('**strong**')
  expect(text).toContain('<strong>strong</strong>')
  expect(text).toContain('<td>one</td>')
})

test('robots, the icon and the description of the search are where clients look for them', async () => {
  const me = browserOf((await testForge()).server)
  const robots = await me.get('/robots.txt')
  expect([robots.status, robots.headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8'])
  expect(robots.text).toMatch(/^User-agent: \*\nDisallow: \/api\/\n/)
  const icon = await me.get('/favicon.ico')
  expect([icon.status, (await me.get(icon.location as string)).headers['content-type']]).toEqual([302, 'image/svg+xml'])
  const search = await me.get('/opensearch.xml')
  expect(search.headers['content-type']).toBe('application/opensearchdescription+xml; charset=utf-8')
  expect(search.text).toContain('template="http://gitstead.test/search?search={searchTerms}"')
})
