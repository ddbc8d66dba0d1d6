/** `npm run check`: format, lint, types, the size of files, and the import law. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { violations } from './import-law.mjs'
import { ensureInstalled, fail, requireNode, root, run, say } from './prepare.mjs'

const maxLines = 300

requireNode()
ensureInstalled()
run(join(root, 'node_modules', '.bin', 'biome'), ['check', '--error-on-warnings', '.'])
run(join(root, 'node_modules', '.bin', 'tsc'), ['--noEmit', '-p', '.'])
run(join(root, 'node_modules', '.bin', 'tsc'), ['--noEmit', '-p', 'src/web'])
const long = sourceFiles().filter((file) => readFileSync(join(root, file), 'utf8').split('\n').length > maxLines + 1)
if (long.length > 0) fail(`These files are longer than ${maxLines} lines; split them by verb:\n${long.join('\n')}`)
const refused = violations(join(root, 'src'))
if (refused.length > 0) fail(`The import law (tools/import-law.mjs) refuses:\n${refused.join('\n')}`)
say('Everything is in order.')

function sourceFiles() {
  const { stdout } = spawnSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.ts', '*.mjs'], {
    cwd: root,
    encoding: 'utf8',
  })
  return stdout.split('\n').filter((file) => file !== '' && !file.endsWith('.test.ts'))
}
