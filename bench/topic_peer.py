"""One library's topics of one table, in a process of its own, so that its CPU and memory are its own.

python bench/topic_peer.py NAME train.npz OUT.npz TOPICS SEED     # writes `topic` [documents, topics] and `word`
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from scipy import sparse


def softcount(counts, n_topics, seed, **settings):
    from softcount import PLSA

    model = PLSA(n_topics, random_state=seed, n_jobs=1, **settings).fit(counts)
    return model.topic_, model.word_


def em(counts, n_topics, seed):
    return softcount(counts, n_topics, seed, criterion="em:200", start="random")


def from_svd(counts, n_topics, seed):
    return softcount(counts, n_topics, seed, start="svd")


def held_out(counts, n_topics, seed):
    return softcount(counts, n_topics, seed, held_out=0.1)


def em_held_out(counts, n_topics, seed):
    return softcount(counts, n_topics, seed, criterion="em:200", start="random", held_out=0.1)


def nmf(counts, n_topics, seed, init="random"):
    from sklearn.decomposition import NMF

    model = NMF(n_topics, init=init, solver="mu", beta_loss="kullback-leibler", random_state=seed)
    activity = model.fit_transform(counts)
    return activity * model.components_.sum(axis=1), model.components_


def nmf_svd(counts, n_topics, seed):
    return nmf(counts, n_topics, seed, "nndsvda")  # whose zeros are filled: multiplicative updates leave zeros zero


def nmf_tfidf(counts, n_topics, seed):
    from sklearn.decomposition import NMF
    from sklearn.feature_extraction.text import TfidfTransformer

    model = NMF(n_topics, init="nndsvda", random_state=seed)
    return model.fit_transform(TfidfTransformer(sublinear_tf=True).fit_transform(counts)), model.components_


def lda(counts, n_topics, seed):
    from sklearn.decomposition import LatentDirichletAllocation

    model = LatentDirichletAllocation(n_topics, learning_method="batch", random_state=seed)
    return model.fit_transform(counts), model.components_


def tomotopy(counts, n_topics, seed, steps=1000):
    import tomotopy as tp

    model = tp.LDAModel(k=n_topics, seed=seed + 1)
    for row in range(counts.shape[0]):
        cells = slice(counts.indptr[row], counts.indptr[row + 1])
        words = np.repeat(counts.indices[cells], counts.data[cells].astype(int))
        model.add_doc([str(w) for w in words])
    model.train(steps, workers=1)
    word = np.zeros((n_topics, counts.shape[1]))
    columns = [int(w) for w in model.used_vocabs]
    for h in range(n_topics):
        word[h, columns] = model.get_topic_word_dist(h)
    return np.array([doc.get_topic_dist() for doc in model.docs]), word


def tomotopy_200(counts, n_topics, seed):
    return tomotopy(counts, n_topics, seed, 200)


def gensim(counts, n_topics, seed):
    from gensim.matutils import Sparse2Corpus
    from gensim.models import LdaModel

    corpus = Sparse2Corpus(counts, documents_columns=False)
    names = {w: str(w) for w in range(counts.shape[1])}
    model = LdaModel(corpus, n_topics, id2word=names, passes=10, random_state=seed)
    return model.inference(corpus)[0], model.get_topics()


def peak() -> float:
    """MB at most; what the system counts for a child may be its parent's."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))


PEERS = {
    "softcount (default)": softcount, "softcount, start svd": from_svd, "softcount, em:200 from random": em,
    "softcount, held_out=0.1": held_out, "softcount, em:200 from random, held_out=0.1": em_held_out,
    "NMF-KL, random start": nmf, "NMF-KL, SVD start": nmf_svd, "scikit-learn LDA, batch": lda,
    "NMF, tf-idf": nmf_tfidf, "gensim LDA, 10 passes": gensim,
    "tomotopy LDA, 1000 steps": tomotopy, "tomotopy LDA, 200 steps": tomotopy_200,
}  # fmt: skip


if __name__ == "__main__":
    name, train, out, n_topics, seed = sys.argv[1:]
    topic, word = PEERS[name](sparse.load_npz(train), int(n_topics), int(seed))
    np.savez(out, topic=topic, word=word, memory=peak())
