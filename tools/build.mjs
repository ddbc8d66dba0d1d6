/** `npm run build`: the program and what browsers get, in `dist/`. */
import { build, requireNode } from './prepare.mjs'

requireNode()
await build()
