/**
 * The pictures of the README: a project and a diff. `GITSTEAD_TEST_README=write` replaces those in docs/images.
 * `GITSTEAD_TEST_GALLERY=folder` has every page shot, by desktop and phone, light and dark: for whoever looks at them.
 */
import { mkdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, expect, test } from 'vitest'
import { pages } from '../../src/pages/index.ts'
import { addressIn } from '../support/fixtures/page-address.ts'
import { inFullRun } from '../support/run/tiers.ts'
import { type Showcase, showcase } from './showcase.ts'
import { browsing, servedForge, widths } from './support.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const images = join(root, 'docs', 'images')
const max_bytes = 200_000

let shown: Showcase

beforeAll(async () => {
  shown = await showcase()
})

const pictures = [
  ['project.png', 'A project', ({ project }: Showcase) => `/${project}`],
  ['diff.png', 'A commit', ({ project, sha }: Showcase) => `/${project}/commit/${sha}`],
] as const

test.each(pictures)(
  '%s of the README shows a page as it is, in less than 200 KB',
  inFullRun('It builds a project with a history to be shown; `docs.test.ts` checks that the pictures the README names are there.'),
  (name, _, addressOf) =>
    browsing(async (open) => {
      const page = await open({ user: shown.owner })
      await page.goto(addressOf(shown), { waitUntil: 'networkidle' })
      const isWritten = process.env.GITSTEAD_TEST_README === 'write'
      const folder = isWritten ? images : await (await servedForge()).folder()
      await mkdir(folder, { recursive: true })
      const { length } = await page.screenshot({ path: join(folder, name) })
      expect(length).toBeLessThan(max_bytes)
      expect((await stat(join(images, name))).size).toBeLessThan(max_bytes)
      expect(await readFile(join(root, 'README.md'), 'utf8')).toContain(`](docs/images/${name})`)
    })(),
)

const gallery = process.env.GITSTEAD_TEST_GALLERY

if (gallery)
  test.each(pages.filter(({ kind }) => kind === 'page').map((page) => [page.pattern.text, page] as const))('%s', (name, page) =>
    browsing(async (open) => {
      const { parameters, owner } = shown
      const forge = await servedForge()
      const tab = await open({ user: page.pattern.text.startsWith('/admin') ? forge.root : owner })
      const address = addressIn(page, parameters).replace(/\/v1$/, '/v0.1.0').replace('feature/one...main', 'v0.1.0...main')
      await tab.goto(address).catch(() => null)
      const file = name.replaceAll(/[^a-z0-9]+/gi, '-').replaceAll(/^-|-$/g, '') || 'home'
      for (const width of ['desktop', 'phone'] as const) {
        await tab.setViewportSize({ width: widths[width], height: width === 'desktop' ? 800 : 720 })
        for (const colorScheme of ['light', 'dark'] as const) {
          await tab.emulateMedia({ colorScheme })
          await tab.screenshot({ path: join(gallery, `${file}.${width}.${colorScheme}.png`) })
        }
      }
    })(),
  )
