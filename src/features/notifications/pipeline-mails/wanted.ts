/** Whether whoever started a pipeline wants to hear how it ended. */
import { allSwitches, type Setting } from '../../spaces/notification-settings/notification-settings.ts'

/** `fixed`: it succeeded where the one before it on its branch or tag had failed. */
export type PipelineEnding = 'failed' | 'fixed' | 'success'

/** That all is well as before is news only for those who chose so. */
export function isPipelineWanted(setting: Setting, ending: PipelineEnding): boolean {
  switch (setting.level) {
    case 'disabled':
    case 'global':
    case 'mention':
      return false
    case 'participating':
    case 'watch':
      return ending !== 'success'
    case 'custom': {
      const { failed_pipeline, success_pipeline } = allSwitches(setting)
      return (failed_pipeline && ending !== 'success') || (success_pipeline && ending !== 'failed')
    }
  }
}
