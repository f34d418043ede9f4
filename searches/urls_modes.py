"""Addresses of the short ways to papers, all under /projects/<project_id>/; included by searches.urls."""

from __future__ import annotations

from django.urls import path

from searches.views import mode_page, pool, quick_cite, related, seeds

urlpatterns = [
    path("paper-searches/<int:search_id>/", mode_page.paper_search, name="paper_search"),
    path("quick-cite/", quick_cite.quick_cites, name="quick_cites"),
    path("quick-cite/new/", quick_cite.quick_cite_new, name="quick_cite_new"),
    path("quick-cite/<int:search_id>/", quick_cite.quick_cite, name="quick_cite"),
    path("quick-cite/<int:search_id>/papers/<int:paper_id>/add/", quick_cite.quick_cite_add, name="quick_cite_add"),
    path("related/", related.related_papers, name="related_papers"),
    path("related/new/", related.related_new, name="related_new"),
    path("related/<int:related_id>/", related.related, name="related"),
    path("related/<int:related_id>/take/", related.related_take, name="related_take"),
    path("plans/<int:version_id>/seeds/", seeds.seed_papers, name="seed_papers"),
    path("plans/<int:version_id>/seeds/new/", seeds.seeds_new, name="seeds_new"),
    path("seeds/<int:seeds_id>/", seeds.seeds, name="seeds"),
    path("pools/", pool.pools, name="pools"),
    path("pools/new/", pool.pool_new, name="pool_new"),
    path("pools/<int:pool_id>/", pool.pool, name="pool"),
    path("pools/<int:pool_id>/take/", pool.pool_take, name="pool_take"),
]
