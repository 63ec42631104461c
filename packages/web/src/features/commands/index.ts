// Commands in the composer: suggestions, the form of a command's options, the state of an invocation, and modals of
// bots.
export { BotModals } from './bot-modals.tsx'
export { mentionedUser } from './candidates.ts'
export { CommandForm } from './command-form.tsx'
export { CommandNotice, type KnownCommands } from './command-notice.tsx'
export { CommandSuggestion } from './command-suggestion.tsx'
export { parseComposedText } from './command-text.ts'
export {
  filterCommands,
  findTypedCommands,
  parseCommandQuery,
  parseSubcommandQuery,
} from './filter-commands.ts'
export { InvocationNotice } from './invocation-notice.tsx'
export { InvocationRow } from './invocation-row.tsx'
export { OptionField } from './option-field.tsx'
export { type Entries, fieldErrorsByOption, optionProblemText, parseCommand } from './option-values.ts'
export {
  listSelectCandidates,
  type SelectCandidate,
  searchCandidates,
  selectsMembers,
} from './select-candidates.ts'
