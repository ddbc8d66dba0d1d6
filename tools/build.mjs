/** `npm run build`: the program and the files for browsers, in `dist/`. */
import { build, requireNode } from './prepare.mjs'

requireNode()
await build()
