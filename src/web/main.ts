/** On every page: forms sent in place, keys, values to copy, times, menus. Without it everything works, a little slower. */
import { CodeBlock } from './lib/code-block.ts'
import { CopyText } from './lib/copy-text.ts'
import { showCounts } from './lib/counts.ts'
import { sendForms } from './lib/forms.ts'
import { listenForKeys } from './lib/keys.ts'
import { placeLateAsTheyCome } from './lib/late.ts'
import { closeMenus } from './lib/menus.ts'
import { PageUpdates } from './lib/page-updates.ts'
import { showOpenTabs } from './lib/tabs.ts'
import { keepTimes } from './lib/times.ts'
import { followHistory, followParts } from './lib/visit.ts'

placeLateAsTheyCome()
sendForms()
followHistory()
followParts()
listenForKeys()
closeMenus()
keepTimes()
showOpenTabs()
showCounts()
customElements.define('code-block', CodeBlock)
customElements.define('copy-text', CopyText)
customElements.define('page-updates', PageUpdates)
