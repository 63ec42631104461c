/** An empty set of flags. Typed as a number, because the enums of discord-api-types have no member with the value 0. */
export const noFlags: number = 0
