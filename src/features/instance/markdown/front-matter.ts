/** Front matter of files and wiki pages: what stands for programs between two lines of hyphens is shown as code. */
import type { MarkdownIt } from 'markdown-it'
import { placedIn } from './placed.ts'
import type { BlockRule } from './rule-types.ts'

const languages: Record<string, string> = { '---': 'yaml', '+++': 'toml' }

const max_lines = 500

/** The language of the front matter that a text begins with; null where it has none. */
export function frontMatterOf(text: string): string | null {
  return languages[/^(?:---|\+\+\+)(?=[ \t]*(?:\r\n?|\n))/.exec(text)?.[0] ?? ''] ?? null
}

export function addFrontMatter({ block }: MarkdownIt): void {
  block.ruler.before('table', 'front_matter', frontMatter)
}

const frontMatter: BlockRule = (state, startLine, endLine, silent) => {
  if (startLine !== 0 || silent || state.level !== 0 || !placedIn(state.env).isFile) return false
  const language = frontMatterOf(state.src)
  if (language === null) return false
  const lineAt = (line: number) => state.src.slice(state.bMarks[line], state.eMarks[line])
  const border = lineAt(0).trimEnd()
  for (let line = 1; line < Math.min(endLine, max_lines); line += 1) {
    if (lineAt(line).trimEnd() !== border) continue
    const lines = Array.from({ length: line - 1 }, (_, index) => lineAt(index + 1))
    // A rule, a heading or nothing, and another rule.
    if (!lines.some((one) => /^[\s\w"'.-]+[:=]/.test(one))) return false
    // The title of a wiki page stands above it already.
    const isTitle = (one: string) => one.trim() === '' || /^title\s*[:=]/.test(one)
    if (!placedIn(state.env).isWiki || !lines.every(isTitle))
      Object.assign(state.push('fence', 'code', 0), { info: language, content: `${lines.join('\n')}\n`, map: [0, line + 1] })
    state.line = line + 1
    return true
  }
  return false
}
