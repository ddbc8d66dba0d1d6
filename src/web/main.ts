/** The script of every page: forms, keyboard shortcuts, values to copy, times, menus. Pages work without it. */
import { CopyText } from './lib/copy-text.ts'
import { showCounts } from './lib/counts.ts'
import { sendForms } from './lib/forms.ts'
import { listenForKeys } from './lib/keys.ts'
import { placeLateAsTheyCome } from './lib/late.ts'
import { closeMenus } from './lib/menus.ts'
import { PageUpdates } from './lib/page-updates.ts'
import { showOpenTabs } from './lib/tabs.ts'
import { keepTimes } from './lib/times.ts'
import { followHistory } from './lib/visit.ts'

placeLateAsTheyCome()
sendForms()
followHistory()
listenForKeys()
closeMenus()
keepTimes()
showOpenTabs()
showCounts()
customElements.define('copy-text', CopyText)
customElements.define('page-updates', PageUpdates)
