/** `npm run bench -- [--wire | --lists | --planning | --snippets | --mail | --search | --code | --code-index | --ci | --clients | --crowd | --cost | --pages] [path-to-a-repository]`: the tables of speed and memory, on a repository of one's own or a generated one. */
import { join } from 'node:path'
import { ensureBuilt, ensureInstalled, fail, requireNode, root, run } from './prepare.mjs'

requireNode()
if (process.platform !== 'linux') fail('The bench reads processor time and memory from /proc: it runs on Linux only.')
ensureInstalled()
ensureBuilt()
run(process.execPath, ['--import', 'tsx', join(root, 'bench', 'main.ts'), ...process.argv.slice(2)])
