/* SPDX-License-Identifier: GPL-2.0-or-later */
/* heatmap.h - the end of the heat maps of a run */
#ifndef TL_PICTURE_HEATMAP_H
#define TL_PICTURE_HEATMAP_H

struct tl_session;

/**
 * tl_heatmaps_end - write the files of all, after the last record; 0, or -errno after
 * a message
 */
int tl_heatmaps_end(struct tl_session *s);

#endif
