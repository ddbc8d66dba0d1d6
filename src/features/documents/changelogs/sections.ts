/** The file of a changelog: sections under headings of versions, newest first. Pure. */
import { withBreaksOf, withLineFeeds } from '../../../text/line-breaks.ts'
import { compareVersions, versionOf } from './versions.ts'

const heading = /^## +\[?(v?\d[0-9A-Za-z.+-]{0,100})/

/**
 * Inserts the section in the order of versions, or replaces that of the same version. Text before all versions is kept, and so are the line
 * breaks of the file and the mark of UTF-8 at its beginning.
 */
export function withSection(file: string, version: string, section: string): string {
  const mark = file.startsWith(utf8Mark) ? utf8Mark : ''
  const before = file.slice(mark.length)
  return mark + withBreaksOf(sectionWithin(withLineFeeds(before), version, section), before)
}

const utf8Mark = '\ufeff'

function sectionWithin(text: string, version: string, section: string): string {
  const own = versionOf(version)
  const lines = text.split('\n')
  const found = lines.flatMap((line, at) => {
    const other = versionOf(heading.exec(line)?.[1] ?? '')
    return other ? [{ at, version: other }] : []
  })
  const at = found.findIndex(({ version: other }) => own !== null && compareVersions(other, own) <= 0)
  const start = at < 0 ? lines.length : (found[at]?.at ?? 0)
  const isReplaced = at >= 0 && own !== null && compareVersions(found[at]?.version ?? own, own) === 0
  const end = isReplaced ? (found[at + 1]?.at ?? lines.length) : start
  const before = lines.slice(0, start).join('\n').trimEnd()
  const after = lines.slice(end).join('\n').trimStart()
  return `${[before, section.trim(), after.trimEnd()].filter(Boolean).join('\n\n')}\n`
}
