/** The file with which this program is started again: by OpenSSH, and for additional processes. */
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Whether the program runs from source with a loader. All built files are in one folder. */
export const runsFromSource = extname(import.meta.url) === '.ts'

export const mainFile = fileURLToPath(new URL(runsFromSource ? '../main.ts' : './main.js', import.meta.url))
