// HTTP requests to URLs that users chose. Decides which IP addresses may be reached (bots/outgoing-requests,
// bots/outgoing-address-forms), and ends every request at its deadline with a response of limited size.
// Does not decide what to send or how to interpret a response: see applications/, interactions/ and
// oauth/back-channel-logout.ts.
export { OutgoingError, type OutgoingReason, type OutgoingResponse } from './exchange.ts'
export { createOutgoing, type Outgoing } from './outgoing.ts'
