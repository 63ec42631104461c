// Owns requests to addresses that users of the service chose: which of them may be reached (D31, D67), and that a request
// ends at its deadline with a bounded answer, whatever the other side does.
// Does not own: what is asked and what an answer means (applications/, interactions/).
export { OutgoingError, type OutgoingReason } from './outgoing-error.ts'
export { createOutgoing, type Outgoing, type OutgoingAnswer } from './request.ts'
