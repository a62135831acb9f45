/** Ada and her community. None of them exist: they show what a report looks like before anything is drawn. */

export const INVENTED: readonly string[] = (
  "Ada Ben Cleo Dan Ella Finn Gia Hugo Ida Jon Kim Leo Mia Noah Olga Pia Quinn Rosa Sam Tess Uma Vic Wanda Yuri"
).split(" ");

export const ADA = 0;
export const ADAS_FRIENDS: readonly number[] = [2, 4, 8, 13, 17, 19];
