/** The file, named by the message, is not what was thought. The volume has been read anew: look again. */
export class VolumeChanged extends Error {}
